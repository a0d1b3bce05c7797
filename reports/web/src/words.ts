// Quantities as the tables of the page write them.

const steps: [number, string][] = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];

export function bytes(value: number): string {
  for (const [unit, name] of steps)
    if (value >= unit && Number.isInteger((value / unit) * 1000)) return `${value / unit} ${name}`;
  return `${value} B`;
}

const units: [number, string][] = [[1e-9, "ns"], [1e-6, "us"], [1e-3, "ms"], [1, "s"]];

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  if (value === 0) return "0 ns";
  for (const [unit, name] of units) {
    const scaled = value / unit;
    if (scaled >= 999.5 && unit < 1) continue;
    return `${scaled.toFixed(scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0)} ${name}`;
  }
  return `${value} s`;
}

export function gigabytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  if (value < 0.0005) return value.toExponential(0);
  return value.toFixed(value < 10 ? 3 : value < 100 ? 2 : 1);
}

export function percent(share: number | null): string {
  return share === null || !Number.isFinite(share) ? "-" : `${(100 * share).toFixed(0)} %`;
}

// For an axis: no more digits than say something.
export function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
