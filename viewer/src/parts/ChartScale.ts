// Axes that tell the truth: counts begin at zero, steps are round numbers, times fall on the person's own hours and days.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface Axis {
  /** The value at the top; a round number at or above the largest. */
  top: number;
  ticks: number[];
}

/** About `wanted` round steps from zero to at least `largest`. */
export function axis(largest: number, wanted = 4): Axis {
  if (!(largest > 0)) return { top: 1, ticks: [0, 1] };
  const rough = largest / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((times) => times * power >= rough) ?? 10);
  // Half a memory is nothing anybody has.
  const whole = largest >= 1 ? Math.max(1, step) : step;
  const count = Math.ceil(largest / whole - 1e-9);
  return { top: whole * count, ticks: Array.from({ length: count + 1 }, (_, at) => at * whole) };
}

/** The moments an axis of time is marked at: never more than fit, on hours or on days as people count them. */
export function timeTicks(from: number, until: number, most: number): number[] {
  const span = until - from;
  const steps = [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY];
  const step = steps.find((one) => span / one <= most) ?? 30 * DAY;
  const at = new Date(from);
  if (step < DAY) at.setMinutes(0, 0, 0);
  else at.setHours(0, 0, 0, 0);
  const hours = step / HOUR;
  if (step < DAY) at.setHours(Math.floor(at.getHours() / hours) * hours);
  const ticks: number[] = [];
  // By the calendar and not by adding milliseconds: a day of the clock change has 23 or 25 hours.
  for (let count = 0; count < 400 && at.getTime() <= until; count += 1) {
    if (at.getTime() >= from) ticks.push(at.getTime());
    if (step < DAY) at.setHours(at.getHours() + hours);
    else at.setDate(at.getDate() + step / DAY);
  }
  return ticks;
}

/** A value as an axis shows it: short, and with the unit where the unit is not "how many". */
export function short(value: number, unit: string): string {
  if (unit === "us") {
    if (value < 1000) return `${Math.round(value)} µs`;
    if (value < 1_000_000) return `${trim(value / 1000)} ms`;
    return `${trim(value / 1_000_000)} s`;
  }
  if (unit === "ms") return value < 1000 ? `${trim(value)} ms` : `${trim(value / 1000)} s`;
  if (value >= 1e9) return `${trim(value / 1e9)} G`;
  if (value >= 1e6) return `${trim(value / 1e6)} M`;
  if (value >= 10_000) return `${trim(value / 1e3)} k`;
  return value.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

function trim(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}
