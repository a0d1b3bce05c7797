// The matrix of each pair of ranks, hosts or places.
import type { Contents, Matrix, Shade } from "./data";
import { choice, colours, Drawing, element, plain, type Colours, type Option } from "./page";
import { cell, heatOption, shadesOf, type HeatCell } from "./shades";
import { gigabytes, percent, seconds } from "./words";

const mostLatency = 4096; // bytes up to which the time says more than the bandwidth
const mostNumbers = 16; // columns whose cells have numbers

function optionOf(of: Colours, shades: Shade[], matrix: Matrix): Option {
  const times = matrix.bytes <= mostLatency;
  const value = (time: number): number => (times ? time * 1e6 : matrix.bytes / 1e9 / time);
  const columns = matrix.columns.length;
  const slow = new Set(matrix.slow);
  const steps = shadesOf(shades);
  const numbers = columns <= mostNumbers;
  const cells: HeatCell[] = [];
  matrix.seconds.forEach((time, i) => {
    if (time === null || time <= 0) return;
    const [x, y] = [i % columns, Math.floor(i / columns)];
    const usual = matrix.rows[y] === matrix.columns[x] ? matrix.within : matrix.median;
    cells.push(cell(of, steps, x, y, (usual ?? time) / time, slow.has(i)));
  });
  const at = (data: HeatCell["value"]): number | null => matrix.seconds[data[1] * columns + data[0]] ?? null;
  const tell = (params: unknown): string => {
    const { value: data } = (params as { data: HeatCell }).data;
    const time = at(data);
    const rows = [`${plain(matrix.rows[data[1]] ?? "")} to ${plain(matrix.columns[data[0]] ?? "")}`, time === null ? "-" : `${gigabytes(matrix.bytes / 1e9 / time)} GB/s, ${seconds(time)}`, `${percent(data[2])} of the median's speed`];
    if (slow.has(data[1] * columns + data[0])) rows.push("slow outlier");
    return rows.join("\n");
  };
  const text = (data: HeatCell["value"]): string => {
    const time = at(data);
    if (time === null) return "";
    return times ? value(time).toFixed(value(time) < 100 ? 2 : 0) : gigabytes(value(time));
  };
  return heatOption(of, steps, matrix.rows, matrix.columns, cells, "of the median's speed", tell, numbers ? text : null);
}

export function drawPairs(root: Element, contents: Contents): void {
  const { matrices } = contents;
  if (matrices.length === 0) return;
  let chosen = 0;
  const draw = (): void => {
    const matrix = matrices[chosen];
    if (!matrix) return;
    root.setAttribute("data-cells", String(matrix.seconds.length));
    drawing.draw(`${matrix.name}: a heat map, rows send to columns; the table below has the numbers`, () => optionOf(colours(), contents.shades, matrix));
  };
  choice(root, "Matrix", matrices.map((it) => it.name), (i) => {
    chosen = i;
    draw();
  });
  const drawing = new Drawing(element("div", root), "From row to column", true);
  draw();
}
