// Bandwidth and time against size, of one operation at a time.
import { variantOf, type Contents, type Curve } from "./data";
import { band, axis, choice, colours, Drawing, element, frame, look, plain, tooltip, type Colours, type Look, type Option, type Pair } from "./page";
import { bytes, gigabytes, seconds, short } from "./words";

const shownFirst = 10; // curves that are drawn before anybody chooses
const namesInTooltip = 14;
const mostMarks = 60; // of a curve; a denser one is a line alone
const ceilingName = "what the links allow";

interface Line {
  name: string;
  look: Look;
  at: Pair[];
  upper: Pair[];
  lower: Pair[];
  variants: Map<number, string>; // by size, where they differ
  predicted: Pair[];
}

type Value = "busbw" | "median";

function positive(value: number | null | undefined): value is number {
  return typeof value === "number" && value > 0;
}

function lineOf({ points }: Contents, curve: Curve, value: Value, style: Look): Line {
  const line: Line = { name: curve.name, look: style, at: [], upper: [], lower: [], variants: new Map(), predicted: [] };
  for (let i = curve.first; i < curve.first + curve.count; ++i) {
    const size = points.bytes[i];
    const median = points.median[i];
    const y = points[value][i];
    const predicted = points.predicted[i];
    if (positive(size) && !positive(median) && positive(predicted)) {
      const computed = value === "median" ? predicted : points.busbw[i];
      if (positive(computed)) line.predicted.push([size, computed]);
    }
    if (!positive(size) || !positive(median) || !positive(y)) continue;
    line.at.push([size, y]);
    if (positive(predicted)) line.predicted.push([size, value === "median" ? predicted : (y * median) / predicted]);
    if (curve.variants) line.variants.set(size, variantOf(curve, i - curve.first));
    const low = points.low[i];
    const high = points.high[i];
    if (!positive(low) || !positive(high)) continue;
    // A bandwidth is a constant over a time, so its interval is that of the time turned over.
    line.lower.push([size, value === "median" ? low : (y * median) / high]);
    line.upper.push([size, value === "median" ? high : (y * median) / low]);
  }
  return line;
}

// Of each size the highest that any of the points may reach, or the least time that this takes.
function ceilingOf({ points }: Contents, curves: Curve[], value: Value): Pair[] {
  const best = new Map<number, number>();
  for (const curve of curves)
    for (let i = curve.first; i < curve.first + curve.count; ++i) {
      const size = points.bytes[i];
      const expected = points.expected[i];
      const busbw = points.busbw[i];
      const median = points.median[i] ?? points.predicted[i];
      if (!positive(size) || !positive(expected)) continue;
      if (value === "busbw") {
        best.set(size, Math.max(best.get(size) ?? 0, expected));
      } else if (positive(busbw) && positive(median)) {
        best.set(size, Math.min(best.get(size) ?? Infinity, (median * busbw) / expected));
      }
    }
  return [...best].sort((a, b) => a[0] - b[0]);
}

function optionOf(of: Colours, lines: Line[], ceiling: Pair[], value: Value): Option {
  const format = value === "busbw" ? gigabytes : seconds;
  const unit = value === "busbw" ? " GB/s" : "";
  let least = Infinity;
  let most = 0;
  for (const line of lines)
    for (const [size] of [...line.at, ...line.predicted]) {
      least = Math.min(least, size);
      most = Math.max(most, size);
    }
  const intervals = new Map(lines.map((line) => [line.name, new Map(line.lower.map((at, i) => [at[0], [at[1], line.upper[i]?.[1] ?? at[1]]]))]));
  const variants = new Map(lines.map((line) => [line.name, line.variants]));
  const tell = (params: unknown): string => {
    const list = (params as { seriesName: string; seriesType: string; data: Pair }[]).filter((it) => it.seriesType === "line");
    if (list.length === 0 || !list[0]) return "";
    const rows = list.slice(0, namesInTooltip).map((it) => {
      const interval = intervals.get(it.seriesName)?.get(it.data[0]);
      const name = variants.get(it.seriesName)?.get(it.data[0]) ?? it.seriesName;
      return `${plain(name)}: ${format(it.data[1])}${unit}` + (interval ? ` (${format(interval[0])} to ${format(interval[1])})` : "");
    });
    if (list.length > namesInTooltip) rows.push(`and ${list.length - namesInTooltip} more`);
    return [bytes(list[0].data[0]), ...rows].join("\n");
  };
  const series: Record<string, unknown>[] = [];
  for (const line of lines) {
    if (line.upper.length > 1) series.push(band(line.name, line.look.colour, line.upper, line.lower));
    if (line.predicted.length > 0)
      series.push({ type: "line", name: `${line.name}, predicted`, z: 2, data: line.predicted, symbol: line.predicted.length === 1 ? "rect" : "none", itemStyle: { color: line.look.colour }, lineStyle: { color: line.look.colour, width: 1.5, type: "dotted" } });
    series.push({
      type: "line",
      name: line.name,
      z: 3,
      data: line.at,
      symbol: line.look.symbol,
      symbolSize: 6,
      showSymbol: line.at.length <= mostMarks,
      showAllSymbol: true,
      itemStyle: { color: line.look.colour },
      lineStyle: { color: line.look.colour, width: 2, type: line.look.dash },
    });
  }
  if (ceiling.length > 0)
    series.push({ type: "line", name: ceilingName, z: 2, data: ceiling, symbol: ceiling.length === 1 ? "rect" : "none", itemStyle: { color: of.ink }, lineStyle: { color: of.ink, width: 1.5, type: [8, 5] } });
  return {
    ...frame(of),
    tooltip: tooltip(of, "axis", tell),
    // One size alone has room at both sides.
    xAxis: { type: "log", logBase: 2, min: least < most ? least : least / 2, max: least < most ? most : most * 2, nameGap: 28, ...axis(of, "size", bytes) },
    yAxis: { type: "log", nameGap: 48, ...axis(of, value === "busbw" ? "bus bandwidth, GB/s" : "time", value === "busbw" ? short : seconds) },
    series,
  } as Option;
}

const svgSpace = "http://www.w3.org/2000/svg";
function swatch(parent: Element, colour: string, dash: number[] | "solid"): void {
  const svg = document.createElementNS(svgSpace, "svg");
  svg.setAttribute("width", "30");
  svg.setAttribute("height", "10");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svgSpace, "path");
  path.setAttribute("d", "M1 5h28");
  path.setAttribute("stroke", colour);
  path.setAttribute("stroke-width", "3");
  if (dash !== "solid") path.setAttribute("stroke-dasharray", dash.join(" "));
  svg.append(path);
  parent.append(svg);
}

export function drawCurves(root: Element, contents: Contents): void {
  const families = contents.families.map((family, i) => ({ family, curves: contents.curves.filter((curve) => curve.family === i) })).filter((it) => it.curves.length > 0);
  const hidden = new Set<string>();
  let chosen = 0;
  choice(root, "Operation", families.map((it) => it.family.name), (i) => {
    chosen = i;
    begin();
  });
  const buttons = root.querySelector(".choice") ?? element("div", root, "", "choice");
  const legend = element("fieldset", root, "", "legend");
  const drawings = element("div", root, "", "drawings");
  const wide = new Drawing(drawings, "Bus bandwidth");
  const quick = new Drawing(drawings, "Time");

  const draw = (): void => {
    const curves = families[chosen]?.curves ?? [];
    const title = families[chosen]?.family.name ?? "";
    for (const [drawing, value] of [[wide, "busbw"], [quick, "median"]] as [Drawing, Value][]) {
      const of = colours();
      const lines = (now: Colours): Line[] =>
        curves.flatMap((curve, i) => (hidden.has(curve.name) ? [] : [lineOf(contents, curve, value, look(i, now))])).filter((line) => line.at.length + line.predicted.length > 0);
      const count = lines(of).length;
      root.setAttribute(`data-${value}`, String(count));
      if (count === 0) {
        drawing.hide();
        continue;
      }
      const words = value === "busbw" ? "bus bandwidth" : "time";
      drawing.draw(`${title}: ${words} against size, ${count} ${count === 1 ? "curve" : "curves"}; the table below has the numbers`, () => {
        const now = colours();
        return optionOf(now, lines(now), ceilingOf(contents, curves, value), value);
      });
    }
  };
  const fill = (): void => {
    legend.replaceChildren();
    element("legend", legend, "Curves");
    const now = colours();
    (families[chosen]?.curves ?? []).forEach((curve, i) => {
      const label = element("label", legend);
      const box = element("input", label);
      box.type = "checkbox";
      box.checked = !hidden.has(curve.name);
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(curve.name);
        else hidden.add(curve.name);
        draw();
      });
      const style = look(i, now);
      swatch(label, style.colour, style.dash);
      label.append(curve.name);
    });
  };
  const begin = (): void => {
    const curves = families[chosen]?.curves ?? [];
    hidden.clear();
    curves.slice(shownFirst).forEach((curve) => hidden.add(curve.name));
    fill();
    draw();
  };
  const button = (text: string, keep: boolean): void => {
    element("button", buttons, text).addEventListener("click", () => {
      hidden.clear();
      if (!keep) (families[chosen]?.curves ?? []).forEach((curve) => hidden.add(curve.name));
      fill();
      draw();
    });
  };
  button("All curves", true);
  button("None", false);
  if (families.some((it) => it.curves.length > shownFirst)) element("span", buttons, `At first ${shownFirst} are drawn.`, "note");
  document.addEventListener("railgauge-colours", fill);
  begin();
}
