// Axes that tell the truth: every one has its zero, steps are round numbers, hours are the person's own. Days are those of
// the daemon, which counts them in UTC.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface Axis {
  /** Round numbers at or beyond the largest and the smallest value; zero lies between them. */
  top: number;
  bottom: number;
  ticks: number[];
}

/** About `wanted` round steps between the two, zero always among them. */
export function axis(largest: number, smallest = 0, wanted = 4): Axis {
  const span = Math.max(0, largest) - Math.min(0, smallest);
  if (!(span > 0)) return { top: 1, bottom: 0, ticks: [0, 1] };
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((times) => times * power >= rough) ?? 10);
  // Half a memory is nothing anybody has.
  const whole = span >= 1 ? Math.max(1, step) : step;
  const above = Math.max(0, Math.ceil(largest / whole - 1e-9));
  const below = Math.max(0, Math.ceil(-smallest / whole - 1e-9));
  const ticks = Array.from({ length: above + below + 1 }, (_, at) => (at - below) * whole);
  return { top: above * whole, bottom: -below * whole, ticks };
}

/** The moments an axis of time is marked at: never more than fit, on hours or on days as people count them. */
export function timeTicks(from: number, until: number, most: number, inDays: boolean): number[] {
  const span = until - from;
  const steps = [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY];
  const step = steps.find((one) => span / one <= most) ?? 30 * DAY;
  if (inDays) {
    const size = Math.max(step, DAY);
    const first = Math.ceil(from / DAY) * DAY;
    return Array.from({ length: Math.floor((until - first) / size) + 1 }, (_, index) => first + index * size);
  }
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
  if (value === 0) return "0";
  if (unit === "us" || unit === "microseconds") {
    if (value < 1000) return `${Math.round(value)} µs`;
    if (value < 1_000_000) return `${trim(value / 1000)} ms`;
    return `${trim(value / 1_000_000)} s`;
  }
  if (unit === "ms") return value < 1000 ? `${trim(value)} ms` : `${trim(value / 1000)} s`;
  if (value < 0) return `−${short(-value, unit)}`;
  if (value >= 1e9) return `${trim(value / 1e9)} G`;
  if (value >= 1e6) return `${trim(value / 1e6)} M`;
  if (value >= 10_000) return `${trim(value / 1e3)} k`;
  return value.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

function trim(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}
