// The table of all points, of which the page itself holds the first rows alone: the others come from the data, page by page.
import { statuses, variantOf, type Contents } from "./data";
import { element } from "./page";
import { bytes, gigabytes, percent, seconds } from "./words";

const rowsOfPage = 200;

function interval(median: number | null, low: number | null, high: number | null): string {
  return median && low !== null && high !== null ? `${((50 * (high - low)) / median).toFixed(1)} %` : "-";
}

export function turnPages(root: Element, contents: Contents): void {
  const body = document.querySelector("#points tbody");
  const columns = [...document.querySelectorAll("#points thead th")].map((head) => head.textContent ?? "");
  const { points, curves, families } = contents;
  const all = points.bytes.length;
  if (!body || all <= rowsOfPage) return;
  const owner: number[] = [];
  curves.forEach((curve, i) => {
    for (let k = 0; k < curve.count; ++k) owner.push(i);
  });
  let list = points.bytes.map((_, i) => i);
  let first = 0;

  root.replaceChildren();
  root.classList.add("choice");
  const back = element("button", root, "Earlier");
  const on = element("button", root, "Later");
  const where = element("span", root);
  where.setAttribute("role", "status");
  const label = element("label", root);
  const only = element("input", label);
  only.type = "checkbox";
  label.append(" only what is not ok");

  const state = (rows: number): void => {
    back.disabled = first === 0;
    on.disabled = first + rowsOfPage >= list.length;
    where.textContent = list.length === 0 ? "There is none" : `${first + 1} to ${first + rows} of ${list.length}`;
  };
  const show = (): void => {
    const rows = list.slice(first, first + rowsOfPage).map((i) => {
      const curve = curves[owner[i] ?? 0];
      const value = (column: (number | null)[]): number | null => column[i] ?? null;
      const busbw = value(points.busbw);
      const expected = value(points.expected);
      const cells: Record<string, string> = {
        operation: (curve && families[curve.family]?.name) ?? "",
        by: curve ? variantOf(curve, i - curve.first) : "",
        size: bytes(points.bytes[i] ?? 0),
        status: statuses[points.status[i] ?? 0] ?? "",
        time: seconds(value(points.median)),
        "± 95 %": interval(value(points.median), value(points.low), value(points.high)),
        p99: seconds(value(points.p99)),
        max: seconds(value(points.max)),
        "bus GB/s": gigabytes(busbw),
        "allowed GB/s": gigabytes(expected),
        share: percent(busbw !== null && expected !== null ? busbw / expected : null),
        predicted: seconds(value(points.predicted)),
      };
      const row = document.createElement("tr");
      // The page leaves out the columns that have no value in any row.
      columns.forEach((column, k) => {
        const made = element(k === 0 ? "th" : "td", row, cells[column] ?? "-", k >= 2 ? "number" : "");
        if (k === 0) made.setAttribute("scope", "row");
      });
      return row;
    });
    body.replaceChildren(...rows);
    state(rows.length);
  };
  back.addEventListener("click", () => {
    first = Math.max(0, first - rowsOfPage);
    show();
  });
  on.addEventListener("click", () => {
    first += rowsOfPage;
    show();
  });
  only.addEventListener("change", () => {
    list = points.bytes.map((_, i) => i).filter((i) => !only.checked || !["ok", "predicted"].includes(statuses[points.status[i] ?? 0] ?? ""));
    first = 0;
    show();
  });
  // The page itself holds the first rows.
  state(Math.min(rowsOfPage, all));
}
