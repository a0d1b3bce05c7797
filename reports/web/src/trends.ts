// How the time of one case went on from run to run, with the baseline and the runs at which change points lie.
import type { Contents, Trend } from "./data";
import { axis, band, choice, colours, Drawing, element, frame, plain, tooltip, type Colours, type Option, type Pair } from "./page";
import { percent, seconds } from "./words";

const longestLabel = 14; // letters on the axis
const mostMarks = 120; // of a line; a denser one is a line alone

function changed(change: number): string {
  return `${(100 * Math.abs(change)).toFixed(1)} % ${change < 0 ? "faster" : "slower"}`;
}

function day(at: number): string {
  return at > 0 ? new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ") : "";
}

function optionOf(of: Colours, trend: Trend): Option {
  const ink = of.curves[0] ?? of.ink;
  const stopped = of.curves[1] ?? of.ink;
  const upper: Pair[] = [];
  const lower: Pair[] = [];
  trend.value.forEach((value, i) => {
    const low = trend.low[i];
    const high = trend.high[i];
    if (value === null || typeof low !== "number" || typeof high !== "number") return;
    lower.push([i, low]);
    upper.push([i, high]);
  });
  const [level, low, high] = trend.baseline ?? [];
  const last = trend.value.length - 1;
  const tell = (params: unknown): string => {
    const i = (params as { dataIndex: number }[])[0]?.dataIndex ?? 0;
    const value = trend.value[i] ?? null;
    const rows = [`${plain(trend.labels[i] ?? "")} ${day(trend.at[i] ?? 0)}`, seconds(value)];
    if (value !== null && typeof trend.low[i] === "number" && typeof trend.high[i] === "number") rows.push(`${seconds(trend.low[i])} to ${seconds(trend.high[i])}`);
    if (value !== null && typeof level === "number") rows.push(`${percent(value / level)} of the baseline, ${seconds(level)}`);
    for (const [at, change] of trend.steps) if (at === i) rows.push(`step: ${changed(change)}`);
    if (trend.refused[i] === 1) rows.push("stopped by the gate");
    return rows.join("\n");
  };
  const series: Record<string, unknown>[] = [];
  if (typeof low === "number" && typeof high === "number") {
    const flat = (y: number): Pair[] => [[0, y], [last, y]];
    series.push(band("baseline", of.soft, flat(high), flat(low)));
    if (typeof level === "number") series.push({ type: "line", name: "baseline", silent: true, z: 2, data: flat(level), symbol: "none", lineStyle: { color: of.soft, width: 1, type: [8, 5] } });
  }
  if (upper.length > 1) series.push(band("interval", ink, upper, lower));
  series.push({
    type: "line",
    name: "time",
    z: 3,
    data: trend.value,
    symbol: "circle",
    symbolSize: 5,
    showSymbol: last < mostMarks,
    itemStyle: { color: ink },
    lineStyle: { color: ink, width: 1.5 },
    markLine: {
      silent: true,
      symbol: "none",
      animation: false,
      lineStyle: { color: of.ink, width: 1.5, type: "dashed" },
      label: { color: of.ink, formatter: (at: { name: string }) => at.name, position: "end", distance: 4 },
      data: trend.steps.map(([at, change]) => ({ name: `${plain(trend.labels[at] ?? "").slice(0, longestLabel)}: ${changed(change)}`, xAxis: at })),
    },
  });
  if (trend.refused.includes(1))
    series.push({ type: "line", name: "stopped", z: 4, data: trend.value.map((value, i) => (trend.refused[i] === 1 ? value : null)), symbol: "triangle", symbolSize: 11, showSymbol: true, showAllSymbol: true, itemStyle: { color: stopped }, lineStyle: { width: 0 } });
  const grid = (frame(of)["grid"] ?? {}) as Record<string, unknown>;
  return {
    ...frame(of),
    // Labels of steps stand above.
    grid: { ...grid, top: trend.steps.length > 0 ? 34 : 16 },
    tooltip: tooltip(of, "axis", tell),
    xAxis: { type: "category", data: trend.labels.map((label) => plain(label).slice(0, longestLabel)), boundaryGap: true, nameGap: 28, ...axis(of, "run, oldest first", String), splitLine: { show: false } },
    yAxis: { type: "value", scale: true, nameGap: 52, ...axis(of, "time", seconds) },
    series,
  } as Option;
}

export function drawTrends(root: Element, contents: Contents): void {
  const { trends } = contents;
  if (trends.length === 0) return;
  let chosen = 0;
  choice(root, "History of", trends.map((trend) => trend.name), (i) => {
    chosen = i;
    draw();
  });
  const drawing = new Drawing(element("div", root), "Line: the median of each run, with its interval. Grey band: the baseline.");
  const draw = (): void => {
    const trend = trends[chosen];
    if (!trend) return;
    root.setAttribute("data-trend", String(chosen));
    root.setAttribute("data-steps", String(trend.steps.length));
    const steps = trend.steps.map(([at, change]) => `a step at ${trend.labels[at] ?? ""}, ${changed(change)}`).join("; ");
    drawing.draw(`${trend.name}: the time of ${trend.value.length} runs${steps ? `; ${steps}` : ""}; the table below has the numbers`, () => optionOf(colours(), trend));
  };
  draw();
}
