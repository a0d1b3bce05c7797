// The matrix of a validation: each pair of hosts beside what is usual for two such hosts.
import type { Contents, Shares } from "./data";
import { axis, choice, cividis, colours, Drawing, element, frame, plain, tooltip, type Colours, type Option } from "./page";

const least = 0.8; // what is slower has the darkest colour: a few percent must be seen beside a pair with no data at all
const most = 1.05;
const mostNumbers = 12; // rows whose cells have numbers
const mostNames = 32; // along an axis

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function optionOf(of: Colours, shares: Shares, matrix: Shares["matrices"][number]): Option {
  const size = shares.names.length;
  const cells = matrix.share.map((share, i) => [matrix.to[i] ?? 0, matrix.from[i] ?? 0, Math.min(most, Math.max(least, share)), share]);
  const tell = (params: unknown): string => {
    const [to, from, , share] = (params as { data: [number, number, number, number] }).data;
    return `${plain(shares.names[from] ?? "")} to ${plain(shares.names[to] ?? "")}\n${share === 0 ? "no data came through" : `${percent(share)} of usual`}`;
  };
  const names = (): Record<string, unknown> => {
    const both = axis(of, "", (i) => String(i));
    return { ...both, type: "category", data: shares.names, splitLine: { show: false }, axisLabel: { color: of.soft, hideOverlap: true, interval: Math.ceil(size / mostNames) - 1, width: 90, overflow: "truncate" } };
  };
  return {
    ...frame(of),
    grid: { left: 110, right: 24, top: 40, bottom: 78 },
    tooltip: tooltip(of, "item", tell),
    xAxis: { ...names(), position: "top" },
    yAxis: { ...names(), inverse: true },
    visualMap: {
      min: least,
      max: most,
      dimension: 2,
      orient: "horizontal",
      left: "center",
      bottom: 4,
      itemWidth: 16,
      itemHeight: 260,
      text: [`${100 * most} % of usual`, `${100 * least} % or less`],
      textStyle: { color: of.ink },
      inRange: { color: cividis },
    },
    series: [
      {
        type: "heatmap",
        data: cells,
        progressive: 20000,
        label: {
          show: size <= mostNumbers,
          rich: { light: { color: "#ffffff", fontSize: 12 }, dark: { color: "#000000", fontSize: 12 } },
          formatter: (params: unknown) => {
            const [, , clamped, share] = (params as { data: [number, number, number, number] }).data;
            return `{${clamped < (least + most) / 2 ? "light" : "dark"}|${(100 * share).toFixed(0)}}`;
          },
        },
        itemStyle: { borderColor: of.paper, borderWidth: size > 64 ? 0 : 1 },
        emphasis: { itemStyle: { borderColor: of.ink, borderWidth: 2 } },
      },
    ],
  } as Option;
}

export function drawShares(root: Element, contents: Contents): void {
  const { shares } = contents;
  if (!shares || shares.matrices.length === 0) return;
  let chosen = 0;
  const draw = (): void => {
    const matrix = shares.matrices[chosen];
    if (!matrix) return;
    root.setAttribute("data-cells", String(matrix.share.length));
    drawing.draw(`${matrix.name}: a heat map of shares of what is usual, rows send to columns; the table below has the numbers`, () => optionOf(colours(), shares, matrix));
  };
  choice(root, "Rails", shares.matrices.map((it) => it.name), (i) => {
    chosen = i;
    draw();
  });
  const drawing = new Drawing(element("div", root), "From row to column, beside what is usual", true);
  draw();
}
