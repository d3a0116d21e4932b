// Moments and amounts, said the way a person says them. The exact moment is always in the title.

import { now } from "../state";

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const DATE = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const NUMBER = new Intl.NumberFormat("en-US");

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const A_DAY = 24 * HOUR;

/** "now", "4 min ago", "3 h ago", "yesterday"-like days, then the date. Ticks by itself. */
export function Ago({ at }: { at: number }) {
  return <Moment at={at} says={ago(at, now.value)} />;
}

/** 14:03:22. Which day it was is in the title. */
export function Clock({ at }: { at: number }) {
  return <Moment at={at} says={clock(at)} />;
}

function Moment({ at, says }: { at: number; says: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>–</span>;
  // What was brought in from elsewhere may not say when it was.
  if (at <= 0) return <span class="time">undated</span>;
  return (
    <time class="time" dateTime={date.toISOString()} title={WHOLE.format(date)}>
      {says}
    </time>
  );
}

export function ago(at: number, from: number): string {
  const passed = from - at;
  if (passed < MINUTE) return passed < -MINUTE ? day(at, from) : "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < A_DAY) return `${Math.floor(passed / HOUR)} h ago`;
  if (passed < 7 * A_DAY) return `${Math.floor(passed / A_DAY)} d ago`;
  return day(at, from);
}

export function clock(at: number): string {
  return CLOCK.format(at);
}

export function day(at: number, from = Date.now()): string {
  return (new Date(at).getFullYear() === new Date(from).getFullYear() ? DAY : DATE).format(at);
}

/** 640 ms, 12 s, 4 min 3 s, 2 h 10 min. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < HOUR) return two(ms, MINUTE, "min", 1_000, "s");
  if (ms < A_DAY) return two(ms, HOUR, "h", MINUTE, "min");
  return two(ms, A_DAY, "d", HOUR, "h");
}

/** 4 min 3 s, but 4 min and not 4 min 0 s. */
function two(ms: number, large: number, name: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${name}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

/** 1,204 */
export function count(value: number): string {
  return NUMBER.format(value);
}

/** 1.2k, 34k, 5.1M: for columns; `count` for sentences. */
export function short(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 1_000_000) return `${trim(value / 1_000)}k`;
  return `${trim(value / 1_000_000)}M`;
}

function trim(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

/** 1 memory, 2 memories. */
export function many(value: number, one: string, more = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : more}`;
}
