// Where a memory was told: which session, when, by which behavior; and what was merged into it.

import { to } from "../router";
import type { Answer } from "../state";
import { Badge, shortId } from "../parts/Badge";
import { Trouble, Waiting } from "../parts/Empty";
import { Ago, many } from "../parts/Time";

export interface Telling {
  at: number;
  session: string;
  subagent?: string | null;
  /** Not known any more when the note itself was dropped for its age. */
  behavior?: string | null;
  event?: string | null;
  tokens?: number | null;
  why?: string | null;
  /** When the agent named it in its own words. */
  cited_at?: number | null;
  prevented?: boolean;
}

export interface History {
  items: Telling[];
  /** Ids of memories that said the same. */
  merged?: string[] | null;
  total?: number | null;
}

export function MemoryHistory({ answer }: { answer: Answer<History> }) {
  const { data, error } = answer;
  return (
    <section class="memory-history" aria-label="Where it was told">
      <h2 class="section-title">Where it was told</h2>
      {error !== undefined && data === undefined ? (
        <Trouble error={error} retry={answer.reload} />
      ) : data === undefined ? (
        <Waiting rows={2} />
      ) : data.items.length === 0 ? (
        <p class="faint">No agent was told it yet.</p>
      ) : (
        <ol class="tellings">
          {data.items.map((one, index) => (
            <li key={index} class="telling">
              <Ago at={one.at} />
              <span class="telling-what">
                <strong>{one.behavior ?? "told"}</strong>
                {one.event ? ` at ${one.event}` : ""}
                {one.subagent ? " to a subagent" : ""}
                {one.why ? <span class="faint"> · {one.why}</span> : null}
              </span>
              {one.prevented ? (
                <Badge tone="good">prevented a mistake</Badge>
              ) : one.cited_at ? (
                <Badge tone="accent">was of use</Badge>
              ) : null}
              {one.tokens ? <span class="faint">{many(one.tokens, "token")}</span> : null}
              <a class="link mono" href={to("sessions", one.session)}>
                {shortId(one.session)}
              </a>
            </li>
          ))}
        </ol>
      )}
      {data?.merged && data.merged.length > 0 ? (
        <p class="faint memory-merged">
          Merged into it, because {data.merged.length === 1 ? "it" : "they"} said the same:{" "}
          {data.merged.map((id) => id).join(", ")}
        </p>
      ) : null}
    </section>
  );
}
