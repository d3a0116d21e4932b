// What a chart is drawn from: values on a grid of time, the paths through them, and the words for both. Draws nothing itself.

import { type Axis, axis, short } from "./ChartScale";

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface ChartSeries {
  name: string;
  label: string;
  /** One of the eight colors, from 1. */
  tone: number;
  points: readonly (readonly [number, number])[];
}

export interface Span {
  from: number;
  until: number;
  /** The time one value stands for, in milliseconds. */
  step: number;
  /** Whether a moment without a value was not measured, and is left out, instead of being zero. */
  gaps?: boolean;
}

/** What is drawn: the moments, and for each series its value at each of them. */
export interface Grid {
  times: number[];
  /** `null`: nothing was measured then. */
  values: (number | null)[][];
}

/** Every step between the two ends. What was not counted is zero; what was not measured is a gap. */
export function gridOf(span: Span, all: readonly ChartSeries[], series: readonly ChartSeries[]): Grid {
  const size = span.step;
  const first = all.find((one) => one.points.length > 0)?.points[0]?.[0] ?? span.from;
  const begin = first - Math.max(0, Math.floor((first - span.from) / size)) * size;
  const times: number[] = [];
  for (let time = begin; time < span.until; time += size) times.push(time);
  const nothing = span.gaps === true ? null : 0;
  const values = series.map((one) => {
    const row: (number | null)[] = times.map(() => nothing);
    for (const [time, value] of one.points) {
      const index = Math.round((time - begin) / size);
      if (index >= 0 && index < row.length) row[index] = value;
    }
    return row;
  });
  return { times, values };
}

export interface Drawn {
  axis: Axis;
  /** Where a value is, from the top of the plot. */
  y: (value: number) => number;
  paths: string[];
}

export function draw(grid: Grid, width: number, height: number, stacked: boolean): Drawn {
  const column = width / Math.max(1, grid.times.length);
  const sums = grid.times.map((_, index) => grid.values.reduce((sum, row) => sum + (row[index] ?? 0), 0));
  const highest = stacked ? sums : grid.values.flatMap((row) => row.map((value) => value ?? 0));
  const scale = axis(
    highest.reduce((most, value) => Math.max(most, value), 0),
    highest.reduce((least, value) => Math.min(least, value), 0),
  );
  const y = (value: number): number => (height * (scale.top - value)) / (scale.top - scale.bottom);
  const below = grid.times.map(() => 0);
  const gap = column > 8 ? 2 : column > 3 ? 1 : 0;
  const paths = grid.values.map((row) => (stacked ? columns(row) : line(row)));
  return { axis: scale, y, paths };

  function columns(row: (number | null)[]): string {
    let path = "";
    row.forEach((value, index) => {
      if (value === null || value <= 0) return;
      const base = below[index] ?? 0;
      const [top, bottom] = [y(base + value).toFixed(1), y(base).toFixed(1)];
      below[index] = base + value;
      // On whole pixels: columns of half a pixel more or less look like something that was measured.
      const [left, right] = [
        Math.round(column * index),
        Math.max(Math.round(column * index) + 1, Math.round(column * (index + 1)) - gap),
      ];
      path += `M${left} ${bottom}V${top}H${right}V${bottom}z`;
    });
    return path;
  }

  function line(row: (number | null)[]): string {
    let path = "";
    let pen = false;
    row.forEach((value, index) => {
      if (value === null) {
        pen = false;
        return;
      }
      const [left, top] = [(column * (index + 0.5)).toFixed(1), y(value).toFixed(1)];
      // A point without neighbors is a dot: a line of no length with a round end.
      path += pen ? `L${left} ${top}` : `M${left} ${top}h0`;
      pen = true;
    });
    return path;
  }
}

export function word(value: number | null, unit: string): string {
  if (value === null) return "–";
  return unit === "us" ? short(value, unit) : value.toLocaleString("en-US");
}

export function moment(time: number, step: number): string {
  const timeZone = step >= DAY ? "UTC" : undefined;
  const day = new Date(time).toLocaleDateString("en-US", {
    weekday: "short",
    month: "short",
    day: "numeric",
    timeZone,
  });
  if (step >= DAY) return day;
  return `${day}, ${hours(time)}${step > HOUR ? ` to ${hours(time + step)}` : ""}`;
}

function hours(time: number): string {
  return new Date(time).toLocaleTimeString("en-US", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

export function mark(time: number, span: number, step: number): string {
  if (span <= 2 * DAY && step < DAY) return hours(time);
  return new Date(time).toLocaleDateString("en-US", {
    month: "short",
    day: "numeric",
    timeZone: step >= DAY ? "UTC" : undefined,
  });
}
