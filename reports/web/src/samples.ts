// The samples of one point: how they are distributed, and how they went on in time.
import type { Contents, Samples } from "./data";
import { axis, band, choice, colours, Drawing, element, frame, tooltip, type Colours, type Option, type Pair } from "./page";
import { bytes, percent, seconds } from "./words";

function distributionOf(samples: Samples): Pair[] {
  if (samples.times) {
    const sorted = [...samples.times].sort((a, b) => a - b);
    return sorted.map((time, i) => [time, (i + 1) / sorted.length]);
  }
  return (samples.percentiles ?? []).map((time, i) => [time, i / 100]);
}

function distribution(of: Colours, samples: Samples): Option {
  const data = distributionOf(samples);
  const colour = of.curves[0] ?? of.ink;
  const tell = (params: unknown): string => {
    const at = (params as { data: Pair }[])[0]?.data;
    return at ? `${percent(at[1])} take at most ${seconds(at[0])}` : "";
  };
  return {
    ...frame(of),
    tooltip: tooltip(of, "axis", tell),
    xAxis: { type: "value", scale: true, nameGap: 28, ...axis(of, "time", seconds) },
    yAxis: { type: "value", min: 0, max: 1, nameGap: 48, ...axis(of, "share of samples", percent) },
    series: [{ type: "line", name: "samples", data, step: "end", symbol: "none", lineStyle: { color: colour, width: 2 }, itemStyle: { color: colour } }],
  } as Option;
}

function course(of: Colours, samples: Samples): Option {
  const colour = of.curves[0] ?? of.ink;
  const other = of.curves[1] ?? of.ink;
  const { times, low = [], high = [] } = samples;
  // The number of the sample in the run, of the first of each stretch.
  const number = (i: number): number => Math.floor(times ? i * samples.step : (i * samples.held * samples.step) / low.length);
  const tell = (params: unknown): string => {
    const list = (params as { seriesType: string; seriesName: string; data: Pair }[]).filter((it) => it.seriesType === "line");
    return [`sample ${list[0]?.data[0] ?? ""}`, ...list.map((it) => `${it.seriesName}: ${seconds(it.data[1])}`)].join("\n");
  };
  const line = (name: string, list: number[], ink: string): Record<string, unknown> => ({
    type: "line",
    name,
    data: list.map((time, i) => [number(i), time]),
    showSymbol: Boolean(times),
    symbol: "circle",
    symbolSize: 3,
    itemStyle: { color: ink },
    lineStyle: { color: ink, width: times ? 0.6 : 1.5 },
  });
  const pairs = (list: number[]): Pair[] => list.map((time, i) => [number(i), time]);
  return {
    ...frame(of),
    tooltip: tooltip(of, "axis", tell),
    xAxis: { type: "value", nameGap: 28, ...axis(of, "sample, in the order of time", String) },
    yAxis: { type: "value", scale: true, nameGap: 48, ...axis(of, "time", seconds) },
    series: times ? [line("time", times, colour)] : [band("range", colour, pairs(high), pairs(low)), line("largest of the stretch", high, other), line("least of the stretch", low, colour)],
  } as Option;
}

export function drawSamples(root: Element, contents: Contents): void {
  const named = contents.samples.map((samples) => {
    const curve = contents.curves[samples.curve];
    const size = curve ? contents.points.bytes[curve.first + samples.point] : undefined;
    return `${(curve && contents.families[curve.family]?.name) ?? ""}, ${curve?.name ?? ""}, ${bytes(size ?? 0)}`;
  });
  let chosen = 0;
  choice(root, "Point", named, (i) => {
    chosen = i;
    draw();
  });
  const drawings = element("div", root, "", "drawings");
  const spread = new Drawing(drawings, "Distribution: the share of samples that take at most so long");
  const overTime = new Drawing(drawings, "Course over time");
  const draw = (): void => {
    const samples = contents.samples[chosen];
    if (!samples) return;
    const name = named[chosen] ?? "";
    root.setAttribute("data-point", String(chosen));
    spread.draw(`${name}: distribution of ${samples.held} samples; the table below has its quantiles`, () => distribution(colours(), samples));
    overTime.draw(`${name}: the samples in the order of time`, () => course(colours(), samples));
  };
  draw();
}
