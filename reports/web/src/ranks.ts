// Who took longest, and who started last.
import type { Contents, Family } from "./data";
import { axis, choice, colours, Drawing, element, frame, tooltip, type Colours, type Option } from "./page";
import { percent } from "./words";

function shares(counts: number[]): number[] {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => (all > 0 ? count / all : 0));
}

function optionOf(of: Colours, family: Family): Option {
  const ranks = Math.max(family.last.length, family.slowest.length);
  const tell = (params: unknown): string => {
    const list = params as { name: string; seriesName: string; data: number }[];
    return [`rank ${list[0]?.name ?? ""}`, ...list.map((it) => `${it.seriesName}: ${percent(it.data)}`)].join("\n");
  };
  const bars = (name: string, counts: number[], i: number): Record<string, unknown> => ({
    type: "bar",
    name,
    data: shares(counts),
    // Hatched as well as coloured.
    itemStyle: { color: of.curves[i], borderColor: of.ink, borderWidth: i === 0 ? 0 : 1, ...(i === 0 ? {} : { decal: { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [3, 3], rotation: 0.8, color: of.paper } }) },
  });
  return {
    ...frame(of),
    tooltip: { ...tooltip(of, "axis", tell), axisPointer: { type: "shadow" } },
    xAxis: { type: "category", data: Array.from({ length: ranks }, (_, i) => String(i)), nameGap: 28, ...axis(of, "rank", String), splitLine: { show: false } },
    yAxis: { type: "value", min: 0, nameGap: 48, ...axis(of, "share of samples", percent) },
    series: [bars("took longest", family.slowest, 0), bars("started last", family.last, 1)],
  } as Option;
}

export function drawRanks(root: Element, contents: Contents): void {
  const families = contents.families.filter((family) => family.last.length + family.slowest.length > 0);
  if (families.length === 0) return;
  let chosen = 0;
  choice(root, "Of", families.map((family) => family.name), (i) => {
    chosen = i;
    draw();
  });
  const drawing = new Drawing(element("div", root), "Plain bars: took longest. Hatched bars: started last. With equal ranks all are alike.");
  const draw = (): void => {
    const family = families[chosen];
    if (family) drawing.draw(`${family.name}: who took longest and who started last; the table below has the numbers`, () => optionOf(colours(), family));
  };
  draw();
}
