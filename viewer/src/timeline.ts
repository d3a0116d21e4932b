// One session as a row of items: all of them, page after page, growing while the session lives.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, segment } from "./api";
import { scaleOf, type Scale } from "./scale";
import { useReturn } from "./state";
import { on } from "./stream";
import type { TimelineItem, TimelinePage } from "./types";

const PAGE_ITEMS = 500;
/** A session of a long day has some thousand items. Beyond this the page would grow without an end. */
const KEPT_ITEMS = 40_000;
/** While a long session is read, its picture is drawn so often. */
const DRAW_MS = 400;
/** A burst of messages asks once. */
const SOON_MS = 200;

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
    let drawn = -DRAW_MS;
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
        if (performance.now() - drawn < DRAW_MS) continue;
        drawn = performance.now();
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

export function useScale(items: readonly TimelineItem[]): Scale {
  return useMemo(() => scaleOf(items), [items]);
}
