// Small marks beside a title. Color never speaks alone: every badge has a word, every dot a name.

import type { ComponentChildren } from "preact";

export type Tone = "quiet" | "accent" | "good" | "warn" | "bad" | "blue" | "violet" | "pink";

export function Badge({ tone = "quiet", title, children }: { tone?: Tone; title?: string; children: ComponentChildren }) {
  return (
    <span class={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  );
}

/** A session that works right now. */
export function Pulse({ label = "live" }: { label?: string }) {
  return <span class="pulse" role="img" aria-label={label} title={label} />;
}

const AGENTS: Record<string, string> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  gemini: "Gemini CLI",
  cursor: "Cursor",
  copilot: "Copilot",
  opencode: "OpenCode",
};

export function agentLabel(name: string): string {
  return AGENTS[name] ?? name;
}

const VERDICTS: Record<string, Tone> = { deny: "bad", ask: "warn", hold: "warn", allow: "good" };

export function VerdictBadge({ verdict }: { verdict: string }) {
  return <Badge tone={VERDICTS[verdict] ?? "quiet"}>{verdict}</Badge>;
}

/** A session's id is long; its head is enough to tell two apart. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id;
}
