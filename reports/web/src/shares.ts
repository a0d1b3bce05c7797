// The matrix of a validation: each pair of hosts beside what is usual for two such hosts.
import type { Contents, Shade, Shares } from "./data";
import { choice, colours, Drawing, element, plain, type Colours, type Option } from "./page";
import { cell, heatOption, shadesOf, type HeatCell } from "./shades";

const mostNumbers = 12; // rows whose cells have numbers

function optionOf(of: Colours, shades: Shade[], shares: Shares, matrix: Shares["matrices"][number]): Option {
  const steps = shadesOf(shades);
  const cells = matrix.share.map((share, i) => cell(of, steps, matrix.to[i] ?? 0, matrix.from[i] ?? 0, share, share < (steps[0]?.least ?? 0)));
  const tell = (params: unknown): string => {
    const [to, from, share] = (params as { data: HeatCell }).data.value;
    return `${plain(shares.names[from] ?? "")} to ${plain(shares.names[to] ?? "")}\n${share === 0 ? "no data came through" : `${(100 * share).toFixed(1)} % of usual`}`;
  };
  const text = ([, , share]: HeatCell["value"]): string => (100 * share).toFixed(0);
  return heatOption(of, steps, shares.names, shares.names, cells, "of usual", tell, shares.names.length <= mostNumbers ? text : null);
}

export function drawShares(root: Element, contents: Contents): void {
  const { shares } = contents;
  if (!shares || shares.matrices.length === 0) return;
  let chosen = 0;
  const draw = (): void => {
    const matrix = shares.matrices[chosen];
    if (!matrix) return;
    root.setAttribute("data-cells", String(matrix.share.length));
    drawing.draw(`${matrix.name}: a heat map of shares of what is usual, rows send to columns; the table below has the numbers`, () => optionOf(colours(), contents.shades, shares, matrix));
  };
  choice(root, "Rails", shares.matrices.map((it) => it.name), (i) => {
    chosen = i;
    draw();
  });
  const drawing = new Drawing(element("div", root), "From row to column, beside what is usual", true);
  draw();
}
