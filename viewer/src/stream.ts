// What happens, as it happens: one stream of events for the whole page. It resumes where it was; when too much is missing
// the daemon says `reset` and whoever shows something loads it again. A hidden page lets go of its connection, because a
// browser has only six of them for one host. It is fetched and not an `EventSource`, which cannot say the page's key.

import { signal } from "@preact/signals";
import { connection, get, withKey } from "./api";
import { messages } from "./messages";
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
/** The daemon says something at least every half minute; a stream that is silent for longer is dead. */
const SILENCE_MS = 90_000;
/** A page that only listens asks something now and then, or its cookie would end while it is looked at. */
const ASK_EVERY_MS = 20 * 60_000;
const LONGEST_WAIT_MS = 10_000;

/** What a new page is told again: some screens of it. */
const EARLIER_ENTRIES = 400;
const EARLIER_MEMORIES = 40;

export type Flow = "waiting" | "open" | "asleep";

export const flow = signal<Flow>("waiting");

const listeners = new Map<Name, Set<Listener<Name>>>();
let source: AbortController | null = null;
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
  window.setInterval(() => void probe(), ASK_EVERY_MS);
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
  source?.abort();
  const mine = new AbortController();
  source = mine;
  void listen(mine).finally(() => {
    if (source !== mine) return;
    flow.value = "waiting";
    again();
  });
}

/** Reads until the stream ends, however it does. */
async function listen(mine: AbortController) {
  let silence = 0;
  const heard = () => {
    window.clearTimeout(silence);
    silence = window.setTimeout(() => mine.abort(), SILENCE_MS);
  };
  try {
    heard();
    const address = last ? `/api/v1/stream?last=${encodeURIComponent(last)}` : "/api/v1/stream";
    const answer = await withKey(address, { headers: { Accept: "text/event-stream" } }, mine.signal);
    if (!answer.ok || !answer.body) return;
    flow.value = "open";
    connection.value = "fine";
    wait = FIRST_WAIT_MS;
    const words = new TextDecoder();
    const take = messages((name, data, id) => {
      if (source !== mine) return;
      if (id) last = id;
      if ((NAMES as readonly string[]).includes(name)) tell(name as Name, data);
    });
    const reader = answer.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || source !== mine) return;
      heard();
      take(words.decode(value, { stream: true }));
    }
  } catch {
    // Whoever ended it knows; otherwise it is tried again.
  } finally {
    window.clearTimeout(silence);
    mine.abort();
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
  const mine = source;
  source = null;
  mine?.abort();
  flow.value = "asleep";
}

/** A stream that ends does not say why; a small question does, and sets `connection`. */
async function probe() {
  await get("/status").catch(() => undefined);
}
