// Patterns of agents: who has which part, who hands over to whom, what came of it. Those that go on come first.

import { useAnswer } from "../state";
import type { Page, Pattern, PatternNode } from "../types";
import { Badge, Pulse, shortId, type Tone } from "../parts/Badge";
import { Command, Empty, Trouble, Waiting } from "../parts/Empty";
import { ViewHead } from "../parts/Layout";
import { PatternPicture, stateOf } from "../parts/PatternPicture";
import { Ago, many } from "../parts/Time";

/** More are history. */
const MOST = 30;

const TONES: Record<string, Tone> = {
  done: "good",
  out: "accent",
  called: "accent",
  due: "warn",
  failed: "bad",
  unreadable: "bad",
};

export function Patterns() {
  const patterns = useAnswer<Page<Pattern>>("/patterns", { limit: MOST }, ["event", "change"]);
  const all = [...(patterns.data?.items ?? [])].sort((a, b) => Number(b.ended_at == null) - Number(a.ended_at == null) || b.at - a.at);
  const running = all.filter((pattern) => pattern.ended_at == null).length;
  return (
    <section class="view" data-view="patterns">
      <ViewHead title="Patterns" note={patterns.data === undefined ? null : <span role="status">{many(running, "pattern")} at work</span>} />
      <div class="view-body patterns">
        {patterns.error !== undefined && patterns.data === undefined ? (
          <Trouble error={patterns.error} retry={patterns.reload} />
        ) : patterns.data === undefined ? (
          <Waiting rows={6} />
        ) : all.length === 0 ? (
          <Empty icon="patterns" title="No agents work together">
            <p>A pattern begins with a tag in the task of a subagent, or with a command:</p>
            <p>
              <Command>throughline pattern start jury --agents 3</Command>
            </p>
          </Empty>
        ) : (
          all.map((pattern) => <OnePattern key={`${pattern.by ?? ""}/${pattern.id}`} pattern={pattern} />)
        )}
      </div>
    </section>
  );
}

function OnePattern({ pattern }: { pattern: Pattern }) {
  const over = pattern.ended_at != null;
  return (
    <article class="pattern" aria-label={`${pattern.kind} ${pattern.name}`}>
      <header class="pattern-head">
        <h2>{pattern.name}</h2>
        <Badge>{pattern.kind}</Badge>
        {over ? <Badge tone={pattern.ok ? "good" : "warn"}>{pattern.state}</Badge> : <Pulse label="running" />}
        {pattern.by != null ? (
          <span class="faint">
            {pattern.by}, on another machine <span class="mono">{shortId(pattern.session)}</span>
          </span>
        ) : (
          <a class="faint mono" href={`#/sessions/${encodeURIComponent(pattern.session)}`}>
            {shortId(pattern.session)}
          </a>
        )}
        <Ago at={pattern.ended_at ?? pattern.at} />
      </header>
      <p class="pattern-headline">{pattern.headline}</p>
      <PatternPicture pattern={pattern} />
      <ul class="pattern-list">
        {pattern.nodes.map((node) => (
          <One key={node.key} node={node} />
        ))}
      </ul>
      {pattern.due.length > 0 && pattern.by == null ? (
        <details class="pattern-due">
          <summary>{many(pattern.due.length, "agent")} to be started, by tag</summary>
          {pattern.due.map((tag) => (
            <code key={tag}>{tag}</code>
          ))}
        </details>
      ) : null}
    </article>
  );
}

function One({ node }: { node: PatternNode }) {
  return (
    <li>
      <Badge tone={TONES[node.state] ?? "quiet"}>{stateOf(node)}</Badge>
      <strong>{node.label}</strong>
      {node.says ? <span class="pattern-says">{node.says}</span> : null}
    </li>
  );
}
