// What was heard on the stream since the page was opened: the last few thousand lines, whichever view is shown. A tool's
// beginning and end are one line.

import { signal } from "@preact/signals";
import { get } from "./api";
import { on } from "./stream";
import type { EventLine, Injection, MemoryCard, Page, Session, TimelineType, Verdict } from "./types";

export interface Line {
  number: number;
  type: TimelineType;
  at: number;
  session: string;
  title: string;
  /** A second line: what was injected, why it was denied. */
  detail: string;
  /** The kind of memory or event. */
  kind: string;
  subagent: string | null;
  tokens: number;
  /** A tool that began and has not ended has no `ok`. */
  running: boolean;
  ok: boolean | null;
  verdict: string | null;
  /** The event's or memory's id. */
  id: string | null;
  seq: number | null;
  project: string | null;
}

export interface Heard {
  session: string;
  project: string | null;
  agent: string | null;
  branch: string | null;
  live: boolean;
  last: string;
  lastAt: number;
  lines: number;
  tokens: number;
}

/** Lines kept. A person scrolls back minutes, not days; older ones are in the session's own timeline. */
export const KEPT_LINES = 5_000;
/** Lines cut off at once, so that not every new line moves all others. */
const CUT_LINES = 500;
/** Sessions told apart at the side; more than this in one sitting is a machine. */
const KEPT_SESSIONS = 200;
/** Tools waited for at once; an end that is never told must not be waited for forever. */
const KEPT_RUNNING = 500;

/** What happened longer ago is looked up, not watched. */
const RECENT_MS = 24 * 3_600_000;

export const lines: Line[] = [];
export const heard = new Map<string, Heard>();
/** Grows whenever `lines` or `heard` changed, at most once per frame. */
export const turnOf = signal(0);

const running = new Map<string, Line>();
/** What is known of sessions, also before anything is heard of them. */
const sessions = new Map<string, Session>();
let number = 0;
let drawing = 0;

/** What an event is to a person: a prompt, a tool, a subagent, or something of the session itself. */
export function typeOf(kind: string): TimelineType {
  if (kind === "UserPromptSubmit") return "prompt";
  if (kind.includes("ToolUse") || kind.startsWith("Permission")) return "tool";
  return kind.startsWith("Subagent") ? "subagent" : "event";
}

export function collect() {
  on("event", recent(event));
  on("memory", recent(memory));
  on("injection", recent(injection));
  on("verdict", recent(verdict));
  on("session", session);
  // What is told again begins in the middle of sessions: who they are has to be asked for once.
  on("hello", () => {
    get<Page<Session>>("/sessions", { limit: 100 }).then(
      (page) => page.items.forEach(session),
      () => undefined,
    );
  });
}

/** Past sessions that are taken in come over the stream as well, by the thousand: they are no news. */
function recent<T extends { at: number }>(hear: (said: T) => void): (said: T) => void {
  return (said) => {
    if (Date.now() - said.at < RECENT_MS) hear(said);
  };
}

function event(said: EventLine) {
  const type = typeOf(said.kind);
  const call = `${said.session} ${said.subagent ?? ""} ${said.tool ?? ""} ${said.title}`;
  const begun = running.get(call);
  if (type === "tool" && said.kind.startsWith("PostToolUse") && begun) {
    running.delete(call);
    begun.running = false;
    begun.ok = said.ok ?? said.kind !== "PostToolUseFailure";
    begun.id = said.id;
    begun.seq = said.seq;
    note(said.session, said, begun.title, 0);
    return changed();
  }
  const line = add({
    type,
    at: said.at,
    session: said.session,
    title: said.title,
    kind: said.kind,
    subagent: said.subagent ?? null,
    id: said.id,
    seq: said.seq,
    project: said.project ?? null,
    running: said.kind === "PreToolUse",
    ok: said.ok ?? (said.kind === "PostToolUseFailure" ? false : null),
  });
  if (line.running) wait(call, line);
  if (said.kind === "Stop" || said.kind === "SessionEnd") settle(said.session);
  note(said.session, said, line.title, 1);
}

function memory(said: MemoryCard) {
  // What was asked is a line already; what is brought in from elsewhere was not learned here, whatever its date.
  if (said.kind === "prompt" || said.written_by === "import") return;
  add({
    type: "memory",
    at: said.at,
    session: said.session ?? "",
    title: said.title,
    detail: said.text,
    kind: said.kind,
    id: said.id,
    tokens: said.tokens,
    project: said.project ?? null,
  });
}

function injection(said: Injection) {
  add({
    type: "injection",
    at: said.at,
    session: said.session,
    title: said.behavior,
    detail: said.items.map((item) => item.title).join(" · ") || said.text,
    kind: said.event,
    subagent: said.subagent ?? null,
    tokens: said.tokens,
    seq: said.seq,
  });
  const known = heard.get(said.session);
  if (known) known.tokens += said.tokens;
}

function verdict(said: Verdict) {
  if (said.verdict === "deny") refuse(`${said.session} ${said.subagent ?? ""} ${said.tool ?? ""} `);
  add({
    type: "verdict",
    at: said.at,
    session: said.session,
    title: said.tool ? `${said.behavior}: ${said.tool}` : said.behavior,
    detail: said.reason,
    kind: said.event,
    subagent: said.subagent ?? null,
    verdict: said.verdict,
    seq: said.seq ?? null,
  });
}

function session(said: Session) {
  sessions.set(said.id, said);
  const oldest = sessions.keys().next();
  if (sessions.size > KEPT_SESSIONS && !oldest.done) sessions.delete(oldest.value);
  const known = heard.get(said.id);
  if (!known) {
    // Who is at work is shown, also when an import has pushed their last lines out of what is told again.
    if (said.live) expect(said);
    return;
  }
  known.project = said.project ?? known.project;
  known.branch = said.branch ?? known.branch;
  known.agent = said.agent;
  known.live = said.live;
  changed();
}

function expect(said: Session) {
  heard.set(said.id, {
    session: said.id,
    project: said.project ?? null,
    agent: said.agent,
    branch: said.branch ?? null,
    live: true,
    last: said.first_prompt ?? said.summary ?? "",
    lastAt: said.last_seen_at,
    lines: 0,
    tokens: 0,
  });
  changed();
}

function add(line: Partial<Line> & Pick<Line, "type" | "at" | "session" | "title" | "kind">): Line {
  number += 1;
  const whole: Line = {
    detail: "",
    subagent: null,
    tokens: 0,
    running: false,
    ok: null,
    verdict: null,
    id: null,
    seq: null,
    project: heard.get(line.session)?.project ?? null,
    ...line,
    number,
  };
  insert(whole);
  if (lines.length > KEPT_LINES + CUT_LINES) lines.splice(0, CUT_LINES);
  changed();
  return whole;
}

/** Memories are told after the events they were made of; a line stands where its time is. */
function insert(line: Line) {
  let at = lines.length;
  while (at > 0 && (lines[at - 1]?.at ?? 0) > line.at) at -= 1;
  lines.splice(at, 0, line);
}

function note(id: string, said: EventLine, title: string, added: number) {
  const known = heard.get(id);
  heard.delete(id);
  heard.set(id, {
    session: id,
    project: said.project ?? known?.project ?? null,
    agent: said.agent,
    branch: known?.branch ?? sessions.get(id)?.branch ?? null,
    live: said.kind === "SessionEnd" ? false : (sessions.get(id)?.live ?? true),
    last: title,
    lastAt: said.at,
    lines: (known?.lines ?? 0) + added,
    tokens: known?.tokens ?? 0,
  });
  const oldest = heard.keys().next();
  if (heard.size > KEPT_SESSIONS && !oldest.done) heard.delete(oldest.value);
}

function wait(call: string, line: Line) {
  running.set(call, line);
  const oldest = running.entries().next();
  if (running.size <= KEPT_RUNNING || oldest.done) return;
  oldest.value[1].running = false;
  running.delete(oldest.value[0]);
}

/** A call that was refused never ends: the last one of this tool. */
function refuse(beginning: string) {
  const [call, line] = [...running].reverse().find(([key]) => key.startsWith(beginning)) ?? [];
  if (!call || !line) return;
  line.running = false;
  running.delete(call);
}

/** A turn that ended leaves no tool running: its end was not told, or told with other words. */
function settle(id: string) {
  for (const [call, line] of running) {
    if (line.session !== id) continue;
    line.running = false;
    running.delete(call);
  }
}

function changed() {
  if (drawing) return;
  drawing = window.requestAnimationFrame(() => {
    drawing = 0;
    turnOf.value += 1;
  });
}
