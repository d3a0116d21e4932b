// Where the items of a session lie on a strip that a person can scrub: time, with idle hours squeezed to the width of a
// pause, and one lane for each type. Knows nothing of how it is drawn.

import type { TimelineItem, TimelineType } from "./types";

/** Longer silence is drawn as this. */
const PAUSE_MS = 3 * 60_000;
/** Every item is given this much, so that a burst within one millisecond is still a burst. */
const ITEM_MS = 400;
/** Silence that is marked as squeezed. */
const GAP_MS = 4 * PAUSE_MS;

export interface Scale {
  /** 0 to 1, for every item. */
  places: Float64Array;
  /** Where silence was squeezed, and how long it was. */
  gaps: readonly { at: number; ms: number }[];
}

export function scaleOf(items: readonly TimelineItem[]): Scale {
  const places = new Float64Array(items.length);
  const gaps: { at: number; ms: number }[] = [];
  let sum = 0;
  for (let index = 1; index < items.length; index += 1) {
    const passed = Math.max(0, (items[index]?.at ?? 0) - (items[index - 1]?.at ?? 0));
    if (passed > GAP_MS) gaps.push({ at: sum + PAUSE_MS / 2, ms: passed });
    sum += ITEM_MS + Math.min(passed, PAUSE_MS);
    places[index] = sum;
  }
  const whole = Math.max(1, sum);
  for (let index = 0; index < places.length; index += 1) places[index] = (places[index] ?? 0) / whole;
  return { places, gaps: gaps.map(({ at, ms }) => ({ at: at / whole, ms })) };
}

/** The item that lies nearest to a place on the scale. */
export function nearest(places: Float64Array, place: number): number {
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  const before = low - 1;
  return before >= 0 && place - (places[before] ?? 0) < (places[low] ?? 1) - place ? before : low;
}

export interface Lane {
  type: TimelineType;
  /** How many items fall into each bin. */
  counts: Uint16Array;
  /** How many of them went wrong. */
  failed: Uint16Array;
  total: number;
}

const LANES: readonly TimelineType[] = ["prompt", "tool", "subagent", "memory", "injection", "verdict"];

/** What the scrubber draws: one lane for each type that occurs. Items of the session itself have none. */
export function lanesOf(items: readonly TimelineItem[], places: Float64Array, bins: number): Lane[] {
  const lanes = new Map(
    LANES.map((type): [TimelineType, Lane] => [
      type,
      { type, counts: new Uint16Array(bins), failed: new Uint16Array(bins), total: 0 },
    ]),
  );
  items.forEach((item, index) => {
    const lane = lanes.get(item.type);
    if (!lane) return;
    const bin = Math.min(bins - 1, Math.floor((places[index] ?? 0) * bins));
    lane.counts[bin] = (lane.counts[bin] ?? 0) + 1;
    if (item.ok === false) lane.failed[bin] = (lane.failed[bin] ?? 0) + 1;
    lane.total += 1;
  });
  return [...lanes.values()].filter((lane) => lane.total > 0);
}
