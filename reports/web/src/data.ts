// The data that stands in the page, of the shape that data.cpp writes.

export type Column = (number | null)[];

export interface Family {
  name: string;
  last: number[]; // samples in which each rank started last
  slowest: number[]; // and took longest
}

export interface Curve {
  family: number;
  name: string;
  first: number; // of its points in the columns
  count: number;
  variants?: string[]; // where its points were run by more than one algorithm: "ring over ucx" of each,
  variant?: number[]; // and of each point its place in them
}

// How that point of a curve was run, `i` counted from its first.
export function variantOf(curve: Curve, i: number): string {
  return curve.variants?.[curve.variant?.[i] ?? 0] ?? curve.name;
}

export interface Points {
  bytes: number[];
  status: number[]; // places in `statuses`
  median: Column; // seconds, as all times; null where nothing was measured
  low: Column; // of the confidence interval of the median
  high: Column;
  p99: Column;
  max: Column;
  busbw: Column; // 1e9 bytes a second
  expected: Column;
  predicted: Column; // seconds; of a point whose status is predicted busbw is that of this time
}

export interface Matrix {
  name: string;
  rows: string[];
  columns: string[];
  bytes: number; // that a cell's time is for
  seconds: Column; // row by row
  median: number | null; // of its cells, but for those within one place
  within: number | null; // of those
  slow: number[]; // cells that were judged slow
}

// A step of speed: from which share of the median's on, and its colour on a light page and on a dark one. The fastest first.
export type Shade = [number, string, string];

export interface Samples {
  curve: number;
  point: number; // of the curve
  step: number;
  held: number;
  times?: number[];
  percentiles?: number[];
  low?: number[];
  high?: number[];
}

// The time of one case from run to run.
export interface Trend {
  name: string;
  labels: string[];
  at: number[]; // seconds since 1970
  value: Column;
  low: Column;
  high: Column;
  refused: number[]; // 1 where the gate stopped the run
  baseline?: Column; // value, low and high
  steps: [number, number][]; // the first run of a new level, and its change
}

// Of a validation: how each pair of hosts, or groups of them, compare with what is usual. Cells that nobody measured are not there.
export interface Shares {
  names: string[];
  matrices: { name: string; from: number[]; to: number[]; share: number[] }[];
}

// A page of results has all but the shares, and that of a validation those and the shades alone.
export interface Contents {
  shades: Shade[];
  shares?: Shares;
  families: Family[];
  curves: Curve[];
  points: Points;
  matrices: Matrix[];
  samples: Samples[];
  trends: Trend[];
}

export const statuses = ["ok", "not_converged", "predicted", "skipped", "wrong", "failed"];

export function readContents(): Contents {
  return JSON.parse(document.getElementById("data")?.textContent ?? "{}") as Contents;
}
