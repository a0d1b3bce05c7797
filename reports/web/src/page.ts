// Elements, colours and drawings that all charts share.
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([BarChart, CustomChart, HeatmapChart, LineChart, GridComponent, MarkLineComponent, TooltipComponent, VisualMapComponent, CanvasRenderer]);

export type Instance = ReturnType<typeof init>;
export type Option = Parameters<Instance["setOption"]>[0];

export function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, parent?: Element | null, text = "", style = ""): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (text) made.textContent = text; // never as HTML: it may be a name of anybody's
  if (style) made.className = style;
  parent?.append(made);
  return made;
}

export interface Colours {
  paper: string;
  ink: string;
  soft: string;
  edge: string;
  fault: string;
  curves: string[];
}

// Okabe and Ito's, the ones with the most contrast to paper first.
const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a800"];
const dark = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00", "#ffffff", "#4c9ad4"];

export function isDark(): boolean {
  const root = document.documentElement.classList;
  return root.contains("dark") || (!root.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return { paper: value("--paper"), ink: value("--ink"), soft: value("--soft"), edge: value("--edge"), fault: value("--fault"), curves: isDark() ? dark : light };
}

// How the curve of a number looks: with colour, dashes and mark alike only after 120 of them.
export interface Look {
  colour: string;
  dash: number[] | "solid";
  symbol: string;
}
const dashes: (number[] | "solid")[] = ["solid", [7, 4], [2, 3]];
const symbols = ["circle", "rect", "triangle", "diamond", "roundRect"];
export function look(i: number, of: Colours): Look {
  return { colour: of.curves[i % of.curves.length] ?? of.ink, dash: dashes[i % dashes.length] ?? "solid", symbol: symbols[i % symbols.length] ?? "circle" };
}

// Marks of rich text in a tooltip would be taken for styles.
export const plain = (text: string): string => text.replace(/[{}|]/g, " ");

const drawings: Drawing[] = [];
// `unseen`: those too that nobody has scrolled to yet, as paper wants them.
export function redrawAll(unseen = false): void {
  for (const drawing of drawings) drawing.redraw(unseen);
}

const ahead = "400px"; // a chart is drawn when it is so near to what is seen

// A figure with a caption and a canvas, which stays empty until somebody comes near it: most of a long page is never looked at.
export class Drawing {
  readonly figure: HTMLElement;
  private readonly canvas: HTMLElement;
  private chart: Instance | null = null;
  private option: (() => Option) | null = null;
  private near = false;
  private stale = true;

  constructor(parent: Element, caption: string, tall = false) {
    this.figure = element("figure", parent);
    element("figcaption", this.figure, caption);
    this.canvas = element("div", this.figure, "", tall ? "canvas tall" : "canvas");
    this.canvas.setAttribute("role", "img");
    new ResizeObserver(() => this.chart?.resize()).observe(this.canvas);
    new IntersectionObserver(
      (entries) => {
        this.near = entries.some((entry) => entry.isIntersecting);
        if (this.near && this.stale) this.redraw();
      },
      { rootMargin: ahead },
    ).observe(this.canvas);
    drawings.push(this);
  }

  // `option` is asked again when colours change; `label` says in words what is drawn.
  draw(label: string, option: () => Option): void {
    this.figure.hidden = false;
    this.canvas.setAttribute("aria-label", label);
    this.option = option;
    this.stale = true;
    this.redraw();
  }
  hide(): void {
    this.figure.hidden = true;
    this.option = null;
  }

  redraw(unseen = false): void {
    this.stale = true;
    if (!this.option || !(this.near || unseen)) return;
    this.stale = false;
    this.chart ??= init(this.canvas, null, { renderer: "canvas", devicePixelRatio: Math.max(2, devicePixelRatio) });
    this.chart.resize();
    this.chart.setOption(this.option(), { notMerge: true });
  }
}

export function axis(of: Colours, name: string, format: (value: number) => string): Record<string, unknown> {
  return {
    name,
    nameLocation: "middle",
    nameTextStyle: { color: of.soft },
    axisLabel: { color: of.soft, hideOverlap: true, formatter: format },
    axisLine: { show: true, lineStyle: { color: of.edge } },
    axisTick: { lineStyle: { color: of.edge } },
    splitLine: { lineStyle: { color: of.edge, opacity: 0.6 } },
  };
}

export function frame(of: Colours): Record<string, unknown> {
  return {
    animation: false,
    backgroundColor: of.paper,
    textStyle: { color: of.ink, fontFamily: "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif" },
    grid: { left: 64, right: 24, top: 16, bottom: 48, containLabel: false },
  };
}

// Rich text is drawn and never parsed as HTML.
export function tooltip(of: Colours, trigger: "axis" | "item", formatter: (params: unknown) => string): Record<string, unknown> {
  return {
    trigger,
    renderMode: "richText",
    confine: true,
    backgroundColor: of.paper,
    borderColor: of.soft,
    textStyle: { color: of.ink, fontSize: 12 },
    axisPointer: { type: "line", lineStyle: { color: of.soft } },
    formatter,
  };
}

export type Pair = [number, number];

function extreme(line: Pair[], more: (a: number, b: number) => number): Pair {
  return line.reduce((a, b) => [a[0], more(a[1], b[1])]);
}

// The area between two lines of the same x, drawn as one shape.
export function band(name: string, colour: string, upper: Pair[], lower: Pair[]): Record<string, unknown> {
  return {
    type: "custom",
    name,
    silent: true,
    z: 1,
    clip: true,
    // Two points for the axis, and all of them in the shape of the first.
    data: [extreme(upper, Math.max), extreme(lower, Math.min)],
    renderItem: (params: { dataIndex: number }, api: { coord: (at: Pair) => number[] }) =>
      params.dataIndex !== 0
        ? null
        : { type: "polygon", shape: { points: [...upper, ...[...lower].reverse()].map((at) => api.coord(at)) }, style: { fill: colour, opacity: 0.2 } },
  };
}

// A list to choose one of `names` from. Of a single one nothing is to choose, and its name is a heading.
export function choice(parent: Element, label: string, names: string[], chosen: (i: number) => void): void {
  if (names.length < 2) {
    if (names[0]) element("h3", parent, names[0]);
    return;
  }
  const row = element("div", parent, "", "choice");
  const words = element("label", row, label);
  const select = element("select", row);
  select.id = `choice-${label.toLowerCase().replace(/\W+/g, "-")}`;
  words.htmlFor = select.id;
  names.forEach((name, i) => {
    element("option", select, name).value = String(i);
  });
  select.addEventListener("change", () => chosen(Number(select.value)));
}
