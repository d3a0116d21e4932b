// The shapes of /api/v1, as the daemon's OpenAPI document states them. Times are Unix milliseconds.

export interface Page<T> {
  items: T[];
  next: string | null;
  total: number | null;
}

export interface MemoryCard {
  id: string;
  external_id?: string | null;
  kind: string;
  at: number;
  title: string;
  subtitle?: string | null;
  text: string;
  /** Whether `text` was shortened. */
  cut?: boolean;
  files_read?: string[];
  files_modified?: string[];
  tools?: string[];
  session?: string | null;
  workspace?: string | null;
  project?: string | null;
  branch?: string | null;
  urgency?: string | number | null;
  critical: boolean;
  pinned: boolean;
  written_by?: string | null;
  origin?: string | null;
  place?: string | null;
  raw_tokens?: number;
  tokens: number;
  repeats?: number;
  hits?: number;
  prevented?: number;
  last_applied_at?: number | null;
  superseded_by?: string | null;
}

export interface Memory extends MemoryCard {
  facts: string[];
  concepts: string[];
  evidence?: string | null;
  injected?: number;
  cited?: number;
}

export interface Session {
  id: string;
  agent: string;
  workspace?: string | null;
  project?: string | null;
  branch?: string | null;
  cwd?: string | null;
  source?: string | null;
  model?: string | null;
  started_at: number;
  last_seen_at: number;
  ended_at?: number | null;
  end_reason?: string | null;
  prompts: number;
  events: number;
  tools: number;
  attended?: boolean | null;
  live: boolean;
  first_prompt?: string | null;
  outcome?: string | null;
  summary?: string | null;
  injected_tokens: number;
}

export interface HandOff {
  session: string;
  at: number;
  project?: string | null;
  branch?: string | null;
  text: string;
}

export interface SessionWhole extends Session {
  /** `/hand-offs/{session}` has it. */
  has_hand_off: boolean;
  counts: { memories: number; injections: number; verdicts: number; claims: number };
}

export interface Prompt {
  id: string;
  session: string;
  number: number;
  at: number;
  text: string;
}

export interface Event {
  seq: number;
  id: string;
  at: number;
  agent: string;
  session: string;
  kind: string;
  tool?: string | null;
  subagent?: string | null;
  bytes: number;
}

export interface EventWhole extends Event {
  envelope: unknown;
  context: Record<string, unknown>;
}

/** What the stream says of an event: the same, with a line a person can read. */
export interface EventLine extends Event {
  title: string;
  ok?: boolean | null;
  project?: string | null;
  cwd?: string | null;
}

export interface InjectedItem {
  memory?: string | null;
  part?: string | null;
  title: string;
  tokens: number;
  why?: string | null;
}

export interface Injection {
  seq: number;
  number: number;
  at: number;
  session: string;
  subagent?: string | null;
  event: string;
  behavior: string;
  text: string;
  tokens: number;
  items: InjectedItem[];
}

export interface Verdict {
  seq?: number;
  at: number;
  session: string;
  subagent?: string | null;
  event: string;
  tool?: string | null;
  behavior: string;
  verdict: "deny" | "ask" | "allow" | "hold";
  reason: string;
}

export interface Summary {
  id: string;
  session: string;
  at: number;
  project?: string | null;
  request: string;
  investigated?: string | null;
  learned?: string | null;
  completed?: string | null;
  next_steps?: string | null;
}

export interface Claim {
  path: string;
  session: string;
  agent: string;
  project?: string | null;
  branch?: string | null;
  since_at: number;
  last_at: number;
  seen_at: number;
  goal?: string | null;
  /** First and last lines of where it was edited. */
  lines?: readonly (readonly [number, number])[];
  live: boolean;
}

/** Agents that work together. */
export interface Pattern {
  id: string;
  session: string;
  /** Whose, where it is on another machine of a team. */
  by?: string | null;
  kind: string;
  name: string;
  at: number;
  ended_at?: number | null;
  state: string;
  ok?: boolean | null;
  headline: string;
  nodes: PatternNode[];
  edges: PatternEdge[];
  lines: { title: string; text: string }[];
  due: string[];
}

export interface PatternNode {
  key: string;
  label: string;
  role: string;
  state: string;
  agent?: string | null;
  started_at?: number | null;
  ended_at?: number | null;
  tries: number;
  says?: string | null;
}

export interface PatternEdge {
  from: string;
  to: string;
}

export interface Checkpoint {
  id: string;
  at: number;
  session?: string | null;
  root: string;
  message?: string | null;
  branch?: string | null;
  head?: string | null;
  files?: number;
}

export type TimelineType = "prompt" | "tool" | "memory" | "injection" | "verdict" | "subagent" | "event";

export interface TimelineItem {
  type: TimelineType;
  at: number;
  seq?: number | null;
  id?: string | null;
  title: string;
  detail?: string | null;
  tool?: string | null;
  ok?: boolean | null;
  subagent?: string | null;
  tokens?: number | null;
  kind?: string | null;
  duration_ms?: number | null;
}

export interface TimelinePage extends Page<TimelineItem> {
  first_at?: number | null;
  last_at?: number | null;
}

export interface Project {
  name: string;
  memories: number;
  sessions: number;
  last_seen_at?: number | null;
}

export interface Workspace {
  key: string;
  root: string;
  project?: string | null;
  first_seen_at: number;
  last_seen_at: number;
  sessions: number;
  live: number | boolean;
}

export interface Agent {
  name: string;
  label: string;
  installed?: boolean | null;
  sessions: number;
  events: number;
  last_seen_at?: number | null;
  watched?: boolean;
}

export type Deed =
  | "edit" | "forget" | "pin" | "supersede" | "remember" | "hand-off" | "claim" | "release" | "message" | "checkpoint" | "outcome" | "pattern";

export interface Change {
  deed: Deed;
  ids: string[];
}

/** The graph of modules with a place for everything. */
export interface Drawn {
  width: number;
  height: number;
  boxes: ModuleBox[];
  lines: ModuleLine[];
  /** Modules before they were taken together. */
  modules: number;
}

export interface ModuleBox {
  name: string;
  files: number;
  lines: number;
  symbols: number;
  circular: boolean;
  of: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface ModuleLine {
  from: number;
  to: number;
  count: number;
  circular: boolean;
  implied: boolean;
  /** x and y in turn */
  points: number[];
}

export interface FileOutline {
  file: string;
  language: string;
  lines: number;
  tokens: number;
  broken: boolean;
  items: Definition[];
}

export interface Definition {
  file: string;
  line: number;
  end_line: number;
  name: string;
  kind: string;
  signature: string;
  doc?: string | null;
  parent?: string | null;
  test: boolean;
}
