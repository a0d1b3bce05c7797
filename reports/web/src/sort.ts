// Tables that are sorted by a click, or by the keyboard, on the name of a column.
import { element } from "./page";

// Numbers by their value; text as people count: "n9" before "n10".
function compare(a: string, b: string): number {
  const [x, y] = [parseFloat(a), parseFloat(b)];
  if (/^[-+\d.]/.test(a) && /^[-+\d.]/.test(b) && Number.isFinite(x) && Number.isFinite(y)) return x - y;
  return a.localeCompare(b, "en", { numeric: true });
}

export function sortable(root: Element): void {
  const table = root.querySelector("table");
  const body = table?.tBodies[0];
  const heads = [...(table?.tHead?.rows[0]?.cells ?? [])];
  if (!body) return;
  heads.forEach((head, column) => {
    const name = head.textContent ?? "";
    head.replaceChildren();
    element("button", head, name).addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => ({ row, text: row.cells[column]?.textContent ?? "" }));
      rows.sort((a, b) => {
        // What was not measured stays last in both directions.
        const none = Number(a.text === "-") - Number(b.text === "-");
        return none !== 0 ? none : (down ? -1 : 1) * compare(a.text, b.text);
      });
      body.replaceChildren(...rows.map((it) => it.row));
    });
  });
}
