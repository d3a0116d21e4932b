// What several views ask for, and how a view asks: `useAnswer` for one answer, `usePages` for a list of any length. Holds
// nothing the daemon would not give again.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { signal } from "@preact/signals";
import { connection, get, type Query } from "./api";
import { on, type Name } from "./stream";
import type { Page, Project } from "./types";

export interface Answer<T> {
  data: T | undefined;
  error: unknown;
  /** The first answer is still on its way. */
  waiting: boolean;
  reload: () => void;
}

/** Asks once per `path` and `query`, keeps what is shown while it asks again, and asks again when the stream is reset or
 *  one of `after` is heard. `null` as path asks nothing. */
export function useAnswer<T>(path: string | null, query: Query = {}, after: readonly Name[] = []): Answer<T> {
  const key = path === null ? null : `${path} ${JSON.stringify(query)}`;
  const [state, set] = useState<{ key: string | null; data?: T; error?: unknown }>({ key: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const ending = new AbortController();
    get<T>(path, query, ending.signal).then(
      (data) => set({ key, data }),
      (error: unknown) => {
        if (!ending.signal.aborted) set((old) => (old.key === key ? { ...old, error } : { key, error }));
      },
    );
    return () => ending.abort();
  }, [key, round]);
  const reload = useMemo(() => () => setRound((n) => n + 1), []);
  useHeard(after, reload);
  useReturn(reload);
  const mine = state.key === key;
  return {
    data: mine ? state.data : undefined,
    error: mine ? state.error : undefined,
    waiting: key !== null && !(mine && (state.data !== undefined || state.error !== undefined)),
    reload,
  };
}

/** Rows of one request of a long list: a screen and a half, so that a jump costs one or two questions. */
const PAGE_ROWS = 100;
/** Pages kept of one list; the rest is asked for again when it is scrolled to. */
const KEPT_PAGES = 60;

export interface Pages<T> {
  /** How long the list is; `undefined` until the first answer. */
  total: number | undefined;
  error: unknown;
  /** The row, or `undefined` while it is on its way. */
  at: (index: number) => T | undefined;
  /** Says which rows are looked at. */
  look: (from: number, to: number) => void;
  reload: () => void;
}

/** A list of any length with random access: pages are asked for by offset when they are looked at. */
export function usePages<T>(path: string, query: Query = {}): Pages<T> {
  const key = `${path} ${JSON.stringify(query)}`;
  const [, redraw] = useState(0);
  const book = useRef<Book<T> | null>(null);
  if (book.current?.key !== key) {
    book.current?.close();
    book.current = new Book<T>(key, path, query, () => redraw((n) => n + 1));
  }
  const mine = book.current;
  useEffect(() => {
    mine.look(0, PAGE_ROWS);
    return () => mine.close();
  }, [mine]);
  useReturn(() => book.current?.reload());
  return mine;
}

class Book<T> implements Pages<T> {
  total: number | undefined;
  error: unknown;
  private pages = new Map<number, T[]>();
  private asked = new Set<number>();
  private ending = new AbortController();
  private looked: [number, number] = [0, PAGE_ROWS];
  private pause = 0;

  constructor(
    readonly key: string,
    private readonly path: string,
    private readonly query: Query,
    private readonly redraw: () => void,
  ) {}

  at = (index: number): T | undefined => this.pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];

  look = (from: number, to: number) => {
    this.looked = [from, to];
    // A dragged scrollbar passes hundreds of pages; only where it rests is asked for.
    window.clearTimeout(this.pause);
    if (this.total === undefined) this.ask();
    else this.pause = window.setTimeout(() => this.ask(), 30);
  };

  /** What is looked at stays until its new answer is here; the rest is forgotten. */
  reload = () => {
    this.ending.abort();
    this.ending = new AbortController();
    this.asked.clear();
    const [first, end] = this.span();
    for (const page of [...this.pages.keys()]) if (page < first || page > end) this.pages.delete(page);
    this.ask(true);
  };

  close() {
    window.clearTimeout(this.pause);
    this.ending.abort();
    this.ending = new AbortController();
    this.asked.clear();
  }

  private ask(anew = false) {
    const [first, end] = this.span();
    for (let page = first; page <= end; page += 1) {
      if (this.asked.has(page) || (!anew && this.pages.has(page))) continue;
      if (this.total !== undefined && page > 0 && page * PAGE_ROWS >= this.total && !anew) continue;
      this.asked.add(page);
      void this.load(page);
    }
  }

  /** The pages that are looked at, first and last. */
  private span(): [number, number] {
    const first = Math.max(0, Math.floor(this.looked[0] / PAGE_ROWS));
    return [first, Math.max(first, Math.floor(Math.max(0, this.looked[1] - 1) / PAGE_ROWS))];
  }

  private async load(page: number) {
    const stop = this.ending.signal;
    try {
      const query = { ...this.query, limit: PAGE_ROWS, offset: page * PAGE_ROWS, count: true };
      const answer = await get<Page<T>>(this.path, query, stop);
      if (stop.aborted) return;
      this.pages.delete(page);
      this.pages.set(page, answer.items);
      this.total = answer.total ?? page * PAGE_ROWS + answer.items.length;
      this.error = undefined;
      while (this.pages.size > KEPT_PAGES) {
        const oldest = this.pages.keys().next();
        if (oldest.done) break;
        this.pages.delete(oldest.value);
      }
    } catch (trouble) {
      if (stop.aborted) return;
      this.error = trouble;
    } finally {
      if (!stop.aborted) this.asked.delete(page);
    }
    this.redraw();
  }
}

/** Rows a list without random access is read to; whoever wants more narrows the question. */
const LONGEST_RUN = 2_000;

/** A list that can only be read from its beginning (a filter by words): grows as it is scrolled. An empty `path` asks
 *  nothing. */
export function useRun<T>(path: string, query: Query = {}): Pages<T> {
  const key = `${path} ${JSON.stringify(query)}`;
  const [, redraw] = useState(0);
  const run = useRef<Run<T> | null>(null);
  if (run.current?.key !== key) {
    run.current?.close();
    run.current = new Run<T>(key, path, query, () => redraw((n) => n + 1));
  }
  const mine = run.current;
  useEffect(() => {
    mine.look(0, 1);
    return () => mine.close();
  }, [mine]);
  useReturn(() => run.current?.reload());
  return mine;
}

class Run<T> implements Pages<T> {
  total: number | undefined;
  error: unknown;
  private items: T[] = [];
  private next: string | null = null;
  private ended = false;
  private asking = false;
  private ending = new AbortController();

  constructor(
    readonly key: string,
    private readonly path: string,
    private readonly query: Query,
    private readonly redraw: () => void,
  ) {}

  at = (index: number): T | undefined => this.items[index];

  look = (_: number, to: number) => {
    const near = to + PAGE_ROWS / 2 > this.items.length;
    if (near && this.path && !this.ended && !this.asking && this.items.length < LONGEST_RUN) void this.load();
  };

  reload = () => {
    this.close();
    this.next = null;
    this.ended = false;
    if (this.path) void this.load(true);
  };

  close() {
    this.ending.abort();
    this.ending = new AbortController();
    this.asking = false;
  }

  private async load(anew = false) {
    const stop = this.ending.signal;
    this.asking = true;
    let found: T[] = anew ? [] : this.items;
    const enough = found.length + 1;
    try {
      do {
        const query = { ...this.query, limit: PAGE_ROWS, cursor: this.next };
        const page = await get<Page<T>>(this.path, query, stop);
        if (stop.aborted) return;
        found = [...found, ...page.items];
        this.next = page.next;
        this.ended = page.next === null;
        // A page may come back empty and still have a next one.
      } while (!this.ended && found.length < enough);
      this.items = found;
      this.total = found.length;
      this.error = undefined;
    } catch (trouble) {
      if (stop.aborted) return;
      this.error = trouble;
    }
    this.asking = false;
    this.redraw();
  }
}

/** Calls back, at most a few times per second, after messages of these names. */
export function useHeard(names: readonly Name[], heard: () => void) {
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(() => {
    let timer = 0;
    const soon = () => {
      if (!timer) {
        timer = window.setTimeout(() => {
          timer = 0;
          latest.current();
        }, 250);
      }
    };
    const offs = [...new Set<Name>([...names, "reset"])].map((name) => on(name, soon));
    return () => {
      window.clearTimeout(timer);
      for (const off of offs) off();
    };
  }, [names.join()]);
}

/** Calls back when the daemon answers again after it did not. */
export function useReturn(back: () => void) {
  const latest = useRef(back);
  latest.current = back;
  useEffect(() => {
    let before = connection.peek();
    return connection.subscribe((now) => {
      if (now === "fine" && before !== "fine") latest.current();
      before = now;
    });
  }, []);
}

/** Whether a media query holds, and again when that changes. */
export function useMedia(query: string): boolean {
  const list = useMemo(() => window.matchMedia(query), [query]);
  const [holds, set] = useState(list.matches);
  useEffect(() => {
    const change = () => set(list.matches);
    change();
    list.addEventListener("change", change);
    return () => list.removeEventListener("change", change);
  }, [list]);
  return holds;
}

/** A phone, or a window as narrow as one. Layout does this in CSS; rows of a virtual list must know their height. */
export const NARROW = "(max-width: 719px)";

/** The time, told every half minute: for "3 minutes ago". */
export const now = signal(Date.now());
window.setInterval(() => (now.value = Date.now()), 30_000);

/** Project names for filters, asked for once per page and after the stream was reset. */
export function useProjects(): Project[] {
  return useAnswer<Page<Project>>("/projects").data?.items ?? [];
}
