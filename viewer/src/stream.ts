// What happens, as it happens: one EventSource for the whole page. It resumes where it was; when too much is missing the
// daemon says `reset` and whoever shows something loads it again. A hidden page lets go of its connection, because a
// browser has only six of them for one host.

import { signal } from "@preact/signals";
import { connection, get } from "./api";
import type { Change, EventLine, Injection, MemoryCard, Session, Verdict } from "./types";

export interface Said {
  hello: { version: string; head: number; learned: number };
  event: EventLine;
  memory: MemoryCard;
  session: Session;
  injection: Injection;
  verdict: Verdict;
  change: Change;
  reset: Record<string, never>;
}

export type Name = keyof Said;
type Listener<N extends Name> = (data: Said[N], cursor: string) => void;

const NAMES: readonly Name[] = ["hello", "event", "memory", "session", "injection", "verdict", "change", "reset"];

/** A page that is looked away from for longer than this gives its connection back. */
const HIDDEN_MS = 30_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** What a new page is told again: some screens of it. */
const EARLIER_ENTRIES = 400;
const EARLIER_MEMORIES = 40;

export type Flow = "waiting" | "open" | "asleep";

export const flow = signal<Flow>("waiting");

const listeners = new Map<Name, Set<Listener<Name>>>();
let source: EventSource | null = null;
let last = "";
let wait = FIRST_WAIT_MS;
let retry = 0;
let sleep = 0;

/** Hears every message of one name until the returned function is called. */
export function on<N extends Name>(name: N, listener: Listener<N>): () => void {
  const set = listeners.get(name) ?? new Set();
  listeners.set(name, set);
  set.add(listener as unknown as Listener<Name>);
  return () => void set.delete(listener as unknown as Listener<Name>);
}

/** Opens the stream. The daemon first says how far things are; then it is asked to tell the latest again, so that the
 *  page shows what just happened and not an empty list. */
export function start() {
  const off = on("hello", (_, cursor) => {
    off();
    const earlier = before(cursor);
    if (!earlier) return;
    last = earlier;
    open();
  });
  open();
  document.addEventListener("visibilitychange", () => {
    window.clearTimeout(sleep);
    if (document.hidden) sleep = window.setTimeout(rest, HIDDEN_MS);
    else if (!source) open();
  });
}

/** The place some entries and memories earlier: cursors are "entry-memory". */
function before(cursor: string): string {
  const [entry, memory] = cursor.split("-").map(Number);
  if (!entry || memory === undefined || Number.isNaN(memory)) return "";
  return `${Math.max(0, entry - EARLIER_ENTRIES)}-${Math.max(0, memory - EARLIER_MEMORIES)}`;
}

function open() {
  window.clearTimeout(retry);
  source?.close();
  const address = last ? `/api/v1/stream?last=${encodeURIComponent(last)}` : "/api/v1/stream";
  const mine = new EventSource(address);
  source = mine;
  mine.onopen = () => {
    flow.value = "open";
    connection.value = "fine";
    wait = FIRST_WAIT_MS;
  };
  mine.onerror = () => {
    if (source !== mine) return;
    flow.value = "waiting";
    // While CONNECTING the browser tries again by itself and sends Last-Event-ID; CLOSED is left to us.
    if (mine.readyState === EventSource.CLOSED) again();
    else void probe();
  };
  for (const name of NAMES) {
    mine.addEventListener(name, (message) => {
      if (!(message instanceof MessageEvent)) return;
      if (message.lastEventId) last = message.lastEventId;
      tell(name, message.data as string);
    });
  }
}

function tell(name: Name, text: string) {
  let data: Said[Name];
  try {
    data = JSON.parse(text) as Said[Name];
  } catch {
    return;
  }
  for (const listener of listeners.get(name) ?? []) listener(data, last);
}

function again() {
  source = null;
  void probe();
  retry = window.setTimeout(open, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT_MS);
}

function rest() {
  source?.close();
  source = null;
  flow.value = "asleep";
}

/** A stream that ends does not say why; a small question does, and sets `connection`. */
async function probe() {
  await get("/status").catch(() => undefined);
}
