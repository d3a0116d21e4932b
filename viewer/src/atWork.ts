// Who is at work. An agent that was closed without a word never says that its session ended: silence tells.

export type WorkState = "at work" | "silent" | "ended";

/** A turn may think for long; a person who is gone for longer is away. */
const SILENT_MS = 30 * 60_000;
/** The daemon calls no session live that is silent for longer; a page that stays open must not, either. */
const ENDED_MS = 4 * 60 * 60_000;

export function workState(live: boolean, lastAt: number, now: number): WorkState {
  const silence = now - lastAt;
  if (!live || silence >= ENDED_MS) return "ended";
  return silence >= SILENT_MS ? "silent" : "at work";
}
