// The one look of every heat map: steps of speed beside the median, of one hue, and a frame around what was judged slow.
import type { Shade } from "./data";
import { axis, frame, isDark, tooltip, type Colours, type Option } from "./page";

export interface Step {
  least: number; // share of the median's speed
  colour: string;
  ink: "light" | "dark"; // of numbers that stand on it
}

// Column, row, share of the median's speed.
export interface HeatCell {
  value: [number, number, number];
  itemStyle?: Record<string, unknown>;
}

const mostNames = 32; // along an axis
const mostGaps = 64; // rows up to which a gap parts the cells

// Of two, black and white, the ink with more contrast.
function inkOn(colour: string): "light" | "dark" {
  const channels = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * (channels[0] ?? 0) + 0.7152 * (channels[1] ?? 0) + 0.0722 * (channels[2] ?? 0);
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? "light" : "dark";
}

export function shadesOf(shades: Shade[]): Step[] {
  const dark = isDark();
  return shades.map(([least, onLight, onDark]) => {
    const colour = dark ? onDark : onLight;
    return { least, colour, ink: inkOn(colour) };
  });
}

function stepOf(steps: Step[], share: number): Step | undefined {
  return steps.find((step) => share >= step.least) ?? steps[steps.length - 1];
}

export function cell(of: Colours, steps: Step[], x: number, y: number, share: number, slow: boolean): HeatCell {
  const made: HeatCell = { value: [x, y, share] };
  if (slow) made.itemStyle = { borderColor: of.fault, borderWidth: 2, color: stepOf(steps, share)?.colour };
  return made;
}

export function heatOption(of: Colours, steps: Step[], rows: string[], columns: string[], cells: HeatCell[], what: string, tell: (params: unknown) => string, text: ((data: HeatCell["value"]) => string) | null): Option {
  const size = Math.max(rows.length, columns.length);
  const longest = Math.max(...rows.map((name) => name.length), 1);
  const names = (list: string[]): Record<string, unknown> => ({
    ...axis(of, "", String),
    type: "category",
    data: list,
    splitLine: { show: false },
    axisLabel: { color: of.soft, hideOverlap: true, interval: Math.ceil(list.length / mostNames) - 1, width: 90, overflow: "truncate" },
  });
  const words = (step: Step, i: number): string => {
    const above = steps[i - 1];
    return above ? `${step.least > 0 ? `${Math.round(100 * step.least)} to ` : "below "}${Math.round(100 * above.least)} %` : `${Math.round(100 * step.least)} % ${what} or more`;
  };
  return {
    ...frame(of),
    grid: { left: Math.min(110, 16 + 8 * longest), right: 16, top: 40, bottom: 16 + 22 * steps.length },
    tooltip: tooltip(of, "item", tell),
    xAxis: { ...names(columns), position: "top" },
    yAxis: { ...names(rows), inverse: true },
    visualMap: {
      type: "piecewise",
      dimension: 2,
      selectedMode: false,
      orient: "vertical",
      left: "left",
      bottom: 4,
      itemWidth: 22,
      itemHeight: 12,
      itemGap: 6,
      textStyle: { color: of.ink },
      pieces: steps.map((step, i) => ({ gte: i === steps.length - 1 ? 0 : step.least, ...(i > 0 ? { lt: steps[i - 1]?.least } : {}), color: step.colour, label: words(step, i) })),
    },
    series: [
      {
        type: "heatmap",
        data: cells,
        progressive: 20000,
        label: {
          show: text !== null,
          rich: { light: { color: "#ffffff", fontSize: 12 }, dark: { color: "#000000", fontSize: 12 } },
          formatter: (params: unknown) => {
            const { value } = (params as { data: HeatCell }).data;
            return `{${stepOf(steps, value[2])?.ink ?? "dark"}|${text?.(value) ?? ""}}`;
          },
        },
        itemStyle: { borderColor: of.paper, borderWidth: size > mostGaps ? 0 : 1 },
        emphasis: { itemStyle: { borderColor: of.ink, borderWidth: 2 } },
      },
    ],
  } as Option;
}
