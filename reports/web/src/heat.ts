// The matrix of each pair of ranks, hosts or places.
import type { Contents, Matrix } from "./data";
import { axis, choice, cividis, colours, Drawing, element, frame, plain, tooltip, type Colours, type Option } from "./page";
import { gigabytes, seconds } from "./words";

const mostLatency = 4096; // bytes up to which the time says more than the bandwidth
const mostNumbers = 16; // columns whose cells have numbers

function optionOf(of: Colours, matrix: Matrix): Option {
  const times = matrix.bytes <= mostLatency;
  const value = (time: number): number => (times ? time * 1e6 : matrix.bytes / 1e9 / time);
  const columns = matrix.columns.length;
  const cells: [number, number, number][] = [];
  matrix.seconds.forEach((time, i) => {
    if (time !== null && time > 0) cells.push([i % columns, Math.floor(i / columns), value(time)]);
  });
  let least = Infinity;
  let most = 0;
  for (const cell of cells) {
    least = Math.min(least, cell[2]);
    most = Math.max(most, cell[2]);
  }
  const unit = times ? "us" : "GB/s";
  const tell = (params: unknown): string => {
    const [to, from] = (params as { data: [number, number, number] }).data;
    const time = matrix.seconds[from * columns + to] ?? null;
    return `${plain(matrix.rows[from] ?? "")} to ${plain(matrix.columns[to] ?? "")}\n${time === null ? "-" : gigabytes(matrix.bytes / 1e9 / time)} GB/s, ${seconds(time)}`;
  };
  const names = (list: string[], name: string): Record<string, unknown> => {
    const both = axis(of, name, (i) => String(i));
    return { ...both, type: "category", data: list, splitLine: { show: false }, axisLabel: { color: of.soft, hideOverlap: true, width: 90, overflow: "truncate" } };
  };
  const numbers = columns <= mostNumbers;
  return {
    ...frame(of),
    grid: { left: 120, right: 24, top: 40, bottom: 78 },
    tooltip: tooltip(of, "item", tell),
    xAxis: { ...names(matrix.columns, ""), position: "top" },
    yAxis: { ...names(matrix.rows, ""), inverse: true },
    visualMap: {
      min: least < most ? least : 0,
      max: most > 0 ? most : 1,
      precision: most < 10 ? 3 : 1,
      orient: "horizontal",
      left: "center",
      bottom: 4,
      itemWidth: 16,
      itemHeight: 260,
      text: [`${times ? seconds(most / 1e6) : `${gigabytes(most)} ${unit}`}`, `${times ? seconds(least / 1e6) : `${gigabytes(least)} ${unit}`}`],
      textStyle: { color: of.ink },
      // Slow is dark, of times and of bandwidths alike.
      inRange: { color: times ? [...cividis].reverse() : cividis },
    },
    series: [
      {
        type: "heatmap",
        data: cells,
        progressive: 20000,
        label: {
          show: numbers,
          rich: { light: { color: "#ffffff", fontSize: 12 }, dark: { color: "#000000", fontSize: 12 } },
          formatter: (params: unknown) => {
            const cell = (params as { data: [number, number, number] }).data[2];
            const text = times ? cell.toFixed(cell < 100 ? 2 : 0) : gigabytes(cell);
            // Dark cells are those of slow pairs.
            const dark = times ? cell > (least + most) / 2 : cell < (least + most) / 2;
            return `{${dark ? "light" : "dark"}|${text}}`;
          },
        },
        itemStyle: { borderColor: of.paper, borderWidth: columns > 64 ? 0 : 1 },
        emphasis: { itemStyle: { borderColor: of.ink, borderWidth: 2 } },
      },
    ],
  } as Option;
}

export function drawPairs(root: Element, contents: Contents): void {
  const { matrices } = contents;
  if (matrices.length === 0) return;
  let chosen = 0;
  const draw = (): void => {
    const matrix = matrices[chosen];
    if (!matrix) return;
    root.setAttribute("data-cells", String(matrix.seconds.length));
    drawing.draw(`${matrix.name}: a heat map, rows send to columns; the table below has the numbers`, () => optionOf(colours(), matrix));
  };
  choice(root, "Matrix", matrices.map((it) => it.name), (i) => {
    chosen = i;
    draw();
  });
  const drawing = new Drawing(element("div", root), "From row to column", true);
  draw();
}
