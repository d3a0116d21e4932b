// One session as a row of items: all of them, page after page, growing while the session lives. And where each item lies
// on a scale that a person can scrub: time, with idle hours squeezed to the width of a pause.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, segment } from "./api";
import { useReturn } from "./state";
import { on } from "./stream";
import type { TimelineItem, TimelinePage, TimelineType } from "./types";

const PAGE_ITEMS = 500;
/** A session of a long day has some thousand items. Beyond this the page would grow without an end. */
const KEPT_ITEMS = 40_000;
/** A burst of messages asks once. */
const SOON_MS = 200;
/** Longer silence is drawn as this. */
const PAUSE_MS = 3 * 60_000;
/** Every item is given this much, so that a burst within one millisecond is still a burst. */
const ITEM_MS = 400;

export interface Timeline {
  items: readonly TimelineItem[];
  /** How many there are, of which `items` may still be the beginning. */
  total: number | undefined;
  loading: boolean;
  error: unknown;
  reload: () => void;
}

export function useTimeline(session: string): Timeline {
  const [, redraw] = useState(0);
  const reader = useRef<Reader | null>(null);
  if (reader.current?.session !== session) {
    reader.current?.close();
    reader.current = new Reader(session, () => redraw((n) => n + 1));
  }
  const mine = reader.current;
  useEffect(() => {
    mine.grow();
    return () => mine.close();
  }, [mine]);
  useEffect(() => hearOf(session, mine.grow), [mine]);
  useReturn(mine.grow);
  return mine;
}

class Reader implements Timeline {
  items: TimelineItem[] = [];
  total: number | undefined;
  loading = false;
  error: unknown;
  private cursor: string | null = null;
  /** Items before the page that `cursor` begins. */
  private before = 0;
  private ending = new AbortController();

  constructor(
    readonly session: string,
    private readonly redraw: () => void,
  ) {}

  /** Reads the last page again, and all behind it. */
  grow = () => {
    if (!this.loading) void this.read();
  };

  reload = this.grow;

  close() {
    this.ending.abort();
    this.ending = new AbortController();
    this.loading = false;
  }

  private async read() {
    const stop = this.ending.signal;
    this.loading = true;
    try {
      while (this.before < KEPT_ITEMS) {
        const query = { limit: PAGE_ITEMS, cursor: this.cursor, count: this.cursor === null ? true : null };
        const page = await get<TimelinePage>(`/sessions/${segment(this.session)}/timeline`, query, stop);
        if (stop.aborted) return;
        this.items = [...this.items.slice(0, this.before), ...page.items];
        this.total = Math.max(page.total ?? this.total ?? 0, this.items.length);
        this.error = undefined;
        if (!page.next || page.items.length === 0) break;
        this.before += page.items.length;
        this.cursor = page.next;
        this.redraw();
      }
    } catch (trouble) {
      if (stop.aborted) return;
      this.error = trouble;
    }
    this.loading = false;
    this.redraw();
  }
}

/** Calls back soon after anything was heard of one session. */
function hearOf(session: string, heard: () => void): () => void {
  let timer = 0;
  const soon = (id: string | null | undefined) => {
    if (id !== session || timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      heard();
    }, SOON_MS);
  };
  const offs = [
    on("event", (said) => soon(said.session)),
    on("memory", (said) => soon(said.session)),
    on("injection", (said) => soon(said.session)),
    on("verdict", (said) => soon(said.session)),
    on("session", (said) => soon(said.id)),
    on("reset", () => soon(session)),
  ];
  return () => {
    window.clearTimeout(timer);
    for (const off of offs) off();
  };
}

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
    if (passed > 4 * PAUSE_MS) gaps.push({ at: sum + PAUSE_MS / 2, ms: passed });
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

export function useScale(items: readonly TimelineItem[]): Scale {
  return useMemo(() => scaleOf(items), [items]);
}
