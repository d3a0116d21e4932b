// One picture and one tone per kind of thing: memories, what happens in a session, and the frame's own places. Paths on a
// 16-pixel grid, drawn with the text's color.

import type { Tone } from "./Badge";

const PATHS: Record<string, string> = {
  // kinds of memories
  bugfix: "M8 5.5a3 3 0 0 1 3 3v2a3 3 0 0 1-6 0v-2a3 3 0 0 1 3-3zM6 5l-1.500-2M10 5l1.500-2M5 8.500H2M14 8.500h-3M5 11.500l-2.500 1.500M11 11.500l2.500 1.500",
  feature: "M8 2l1.700 4.300L14 8l-4.300 1.700L8 14l-1.700-4.300L2 8l4.300-1.700z",
  refactor: "M3 6h8l-2-2M13 10H5l2 2",
  change: "M3 13l1-3 7-7 2 2-7 7z",
  discovery: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
  decision: "M8 2v5M8 7L3.500 13M8 7l4.500 6M3.500 13v-2.500M3.500 13H6M12.500 13v-2.500M12.500 13H10",
  failure: "M8 2l6.500 12h-13zM8 6.500v3.500M8 12v.200",
  security: "M8 1.500l5.500 2v4c0 3.500-2.500 6-5.500 7-3-1-5.500-3.500-5.500-7v-4z",
  summary: "M3 3h10M3 6.500h10M3 10h10M3 13.500h6",
  learning: "M8 3.500L1.500 6.500 8 9.500l6.500-3zM4 8v3.500c2 1.500 6 1.500 8 0V8",
  prompt: "M2.500 3h11v8h-6l-3 2.500V11h-2z",
  note: "M3.500 2h9v8l-3.500 4H3.500zM12.500 10H9v4",
  notification: "M8 2a4 4 0 0 1 4 4v3l1.500 2.500h-11L4 9V6a4 4 0 0 1 4-4zM6.500 13.500h3",
  rule: "M3 2.500h10v11H3zM5.500 6l1.200 1.200L9 5M5.500 10.500h5",
  incident: "M3.500 9a4.500 4.500 0 0 1 9 0v4h-9zM2 13.500h12M8 2V.800M3 4L2 3M13 4l1-1",
  chunk: "M3 2.500h10v4H3zM3 9.500h10v4H3z",
  document: "M4 1.500h5.500L12.500 4.500v10H4zM9.500 1.500v3h3M6 8h4.500M6 11h4.500",
  // what happens
  tool: "M10 2.500a3.500 3.500 0 0 0-3.300 4.700L2.500 11.500l2 2 4.300-4.200A3.500 3.500 0 0 0 13.500 6L11 7.500 8.500 5z",
  memory: "M8 2c3.300 0 5.500.900 5.500 2v8c0 1.100-2.200 2-5.500 2s-5.500-.900-5.500-2V4c0-1.100 2.200-2 5.500-2zM2.500 4c0 1.100 2.200 2 5.500 2s5.500-.900 5.500-2M2.500 8c0 1.100 2.200 2 5.500 2s5.500-.900 5.500-2",
  injection: "M8 2v8M5 7l3 3 3-3M2.500 10v3.500h11V10",
  verdict: "M8 1.500l5.500 2v4c0 3.500-2.500 6-5.500 7-3-1-5.500-3.500-5.500-7v-4zM6 8l1.500 1.500L10.500 6",
  subagent: "M4 2.500v7.500a3 3 0 0 0 3 3h5M4 5.500h5a3 3 0 0 0 3-3M12 13l-2-1.800M12 13l-2 1.800",
  event: "M8 9.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
  start: "M5 3l7.500 5L5 13z",
  end: "M4 4h8v8H4z",
  // places
  live: "M2 8h3l2-5 2.500 10L11.500 8H14",
  sessions: "M2.500 3h11v7h-11zM5.500 13h5M8 10v3",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
  memories: "M8 2c3.300 0 5.500.900 5.500 2v8c0 1.100-2.200 2-5.500 2s-5.500-.900-5.500-2V4c0-1.100 2.200-2 5.500-2zM2.500 4c0 1.100 2.200 2 5.500 2s5.500-.900 5.500-2M2.500 8c0 1.100 2.200 2 5.500 2s5.500-.900 5.500-2",
  preview: "M1.500 8C3 5 5.300 3.500 8 3.500S13 5 14.500 8C13 11 10.700 12.500 8 12.500S3 11 1.500 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  now: "M6 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM1.500 13.500c0-2.500 2-4 4.500-4s4.500 1.500 4.500 4M10.500 3a2.300 2.300 0 0 1 0 4M12 9.800c1.600.500 2.500 1.800 2.500 3.700",
  patterns: "M2 6.500h4v3H2zM10 2h4v3h-4zM10 11h4v3h-4zM6 8h2M8 3.500v9M8 3.500h2M8 12.500h2",
  map: "M2 2h5v7H2zM9 2h5v4H9zM9 8h5v6H9zM2 11h5v3H2z",
  charts: "M2.500 2v11.500H14M5.500 11V8M8.500 11V4.500M11.500 11V6.500",
  settings: "M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6M10 6.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 13.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  health: "M8 13.500S2 10 2 5.800C2 3.900 3.400 2.500 5.100 2.500 6.400 2.500 7.500 3.200 8 4.400c.500-1.200 1.600-1.900 2.900-1.900C12.600 2.500 14 3.900 14 5.800 14 10 8 13.500 8 13.500z",
  // controls
  more: "M3 8v.010M8 8v.010M13 8v.010",
  close: "M4 4l8 8M12 4l-8 8",
  pause: "M5.500 3v10M10.500 3v10",
  down: "M8 3v10M4 9l4 4 4-4",
  back: "M10 3L5 8l5 5",
  forward: "M6 3l5 5-5 5",
  pin: "M6 2h4l-.500 4.500L12 9H4l2.500-2.500zM8 9v5",
  trash: "M3 4h10M6 4V2.500h4V4M4.500 4l.500 9.500h6l.500-9.500",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M3.400 12.600l1-1M11.600 4.400l1-1",
  moon: "M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z",
  system: "M2 3h12v8H2zM5.500 13.500h5M8 11v2.500",
  keyboard: "M1.500 4h13v8h-13zM4 6.500v.010M6.500 6.500v.010M9 6.500v.010M11.500 6.500v.010M5 9.500h6",
  check: "M3 8.500l3.500 3.500L13 4.500",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
};

const TONES: Record<string, Tone> = {
  bugfix: "bad",
  feature: "accent",
  refactor: "blue",
  change: "quiet",
  discovery: "blue",
  decision: "violet",
  failure: "bad",
  security: "warn",
  summary: "quiet",
  learning: "violet",
  prompt: "blue",
  note: "warn",
  notification: "warn",
  rule: "violet",
  incident: "bad",
  chunk: "quiet",
  document: "blue",
  tool: "quiet",
  memory: "violet",
  injection: "accent",
  verdict: "warn",
  subagent: "pink",
  event: "quiet",
};

/** What can happen in a session, as filters name it. */
export const TYPES = (
  [
    ["prompt", "Prompts"],
    ["tool", "Tools"],
    ["memory", "Memories"],
    ["injection", "Injections"],
    ["verdict", "Guards"],
    ["subagent", "Subagents"],
    ["event", "Other"],
  ] as const
).map(([value, label]) => ({ value, label, tone: TONES[value] ?? ("quiet" as Tone) }));

export function toneOf(kind: string): Tone {
  return TONES[kind] ?? "quiet";
}

/** A picture without words; whoever uses it says the word beside it, or passes `label`. */
export function Icon({ name, label, size = 16 }: { name: string; label?: string; size?: number }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : "true"}
    >
      <path d={PATHS[name] ?? PATHS["event"]} />
    </svg>
  );
}

/** The picture of a kind in its tone, on a faint ground. */
export function KindMark({ kind, label }: { kind: string; label?: string }) {
  return (
    <span class={`mark mark-${toneOf(kind)}`}>
      <Icon name={kind} label={label ?? kind} />
    </span>
  );
}

/** The kind as picture and word. */
export function KindBadge({ kind }: { kind: string }) {
  return (
    <span class={`badge badge-${toneOf(kind)}`}>
      <Icon name={kind} size={12} />
      {kind}
    </span>
  );
}
