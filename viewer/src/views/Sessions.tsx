// Every session there was: those that are open first, then the rest by when they were last heard.

import { useMemo } from "preact/hooks";
import { workState } from "../atWork";
import { agentLabel, Badge, Pulse, shortId, type Tone } from "../parts/Badge";
import { Command, Empty, Trouble, Waiting } from "../parts/Empty";
import { SearchField, Select } from "../parts/Field";
import { ViewHead } from "../parts/Layout";
import { Ago, count, many, short, span } from "../parts/Time";
import { VirtualList } from "../parts/VirtualList";
import { place, refine, to } from "../router";
import { NARROW, now, useAnswer, useHeard, useMedia, usePages, useProjects, useRun, type Pages } from "../state";
import type { Agent, Page, Session } from "../types";

const ROW = 60;
const NARROW_ROW = 86;

const PERIODS = [
  { value: "", label: "Any time" },
  { value: "1", label: "Last day" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "365", label: "Last year" },
] as const;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function Sessions() {
  const fields = place.value.query;
  const field = (name: string) => fields.get(name) ?? "";
  const days = Number(field("days"));
  const query = {
    project: field("project"),
    agent: field("agent"),
    // To the hour, so that the question stays the same while it is looked at.
    since: days > 0 ? Math.floor((Date.now() - days * DAY_MS) / HOUR_MS) * HOUR_MS : null,
  };
  const words = field("q");
  const live = usePages<Session>("/sessions", { ...query, live: true });
  const all = usePages<Session>("/sessions", query);
  const found = useRun<Session>(words ? "/sessions" : "", { ...query, q: words });
  useHeard(["session"], () => {
    live.reload();
    all.reload();
  });
  const projects = useProjects();
  const agents = useAnswer<Page<Agent>>("/agents").data?.items ?? [];
  const narrow = useMedia(NARROW);

  const ordered = useMemo(() => liveFirst(live, all), [live.total, all.total, live.at(0), all.at(0)]);
  const shown = words ? found : ordered;
  const { total, error } = shown;
  const atWork = live.total ?? 0;
  const filtered = ["project", "agent", "q", "days"].some((name) => field(name) !== "");

  return (
    <section class="view view-fixed" data-view="sessions">
      <ViewHead
        title="Sessions"
        note={noteOf(total, words ? 0 : atWork)}
      />
      <div class="filters">
        <SearchField
          label="Filter sessions"
          placeholder="What was asked…"
          value={field("q")}
          change={(q) => refine({ q })}
          main
        />
        <Select
          label="Project"
          value={field("project")}
          choices={[{ value: "", label: "All projects" }, ...projects.map(({ name }) => ({ value: name, label: name }))]}
          change={(project) => refine({ project })}
        />
        <Select
          label="Agent"
          value={field("agent")}
          choices={[{ value: "", label: "All agents" }, ...agents.map(({ name, label }) => ({ value: name, label }))]}
          change={(agent) => refine({ agent })}
        />
        <Select label="Period" value={field("days")} choices={PERIODS} change={(value) => refine({ days: value })} />
      </div>
      {total === undefined ? (
        <div class="view-body">{error === undefined ? <Waiting /> : <Trouble error={error} retry={shown.reload} />}</div>
      ) : total === 0 ? (
        <None filtered={filtered} />
      ) : (
        <VirtualList
          label="Sessions"
          class="sessions-list"
          count={total}
          height={narrow ? NARROW_ROW : ROW}
          at={shown.at}
          look={shown.look}
          id={(session) => session.id}
          href={(session) => to("sessions", session.id)}
          row={(session) => (narrow ? <NarrowRow session={session} /> : <WideRow session={session} />)}
          global
        />
      )}
    </section>
  );
}

function noteOf(total: number | undefined, atWork: number): string | undefined {
  if (total === undefined) return undefined;
  return atWork > 0 ? `${count(total)}, ${count(atWork)} open` : count(total);
}

/** How far down those at work are looked for in the list of all: it is ordered by when they were last heard. */
const AMONG = 300;

/** Those at work, then all others: the list of all, without the rows that stand above it already. */
function liveFirst(live: Pages<Session>, all: Pages<Session>): Pages<Session> {
  const above = live.total ?? 0;
  const twice = () => {
    const rows: number[] = [];
    for (let index = 0; index < Math.min(AMONG, all.total ?? 0) && rows.length < above; index += 1) {
      if (all.at(index)?.live) rows.push(index);
    }
    return rows;
  };
  const below = (index: number) => {
    let row = index - above;
    for (const passed of twice()) if (passed <= row) row += 1;
    return row;
  };
  return {
    total: live.total === undefined || all.total === undefined ? undefined : Math.max(above, all.total),
    error: live.error ?? all.error,
    at: (index) => (index < above ? live.at(index) : all.at(below(index))),
    look: (from, to) => {
      if (from < above) live.look(from, Math.min(to, above));
      if (to > above) all.look(below(Math.max(from, above)), below(to));
    },
    reload: () => {
      live.reload();
      all.reload();
    },
  };
}

function None({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty icon="sessions" title="No session fits">
        <button type="button" class="button" onClick={() => refine({ q: null, project: null, agent: null, days: null })}>
          Show all
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="sessions" title="No session yet">
      <p>
        Connect an agent with <Command>throughline install</Command> and give it something to do. Earlier work can be
        brought along: <Command>throughline backfill</Command>
      </p>
    </Empty>
  );
}

const OUTCOMES: Record<string, { tone: Tone; label: string }> = {
  succeeded: { tone: "good", label: "succeeded" },
  "partial+": { tone: "blue", label: "mostly done" },
  "partial-": { tone: "warn", label: "partly done" },
  failed: { tone: "bad", label: "failed" },
};

export function Outcome({ session }: { session: Session }) {
  const state = workState(session.live, session.last_seen_at, now.value);
  if (state === "at work") return <Badge tone="accent">at work</Badge>;
  if (state === "silent") return <Badge tone="quiet">silent for {span(now.value - session.last_seen_at)}</Badge>;
  const known = session.outcome ? (OUTCOMES[session.outcome] ?? { tone: "quiet" as const, label: session.outcome }) : null;
  return known ? <Badge tone={known.tone}>{known.label}</Badge> : null;
}

/** What a session was about, in one line. */
export function aboutOf(session: Session): string {
  return session.first_prompt || session.summary || "No prompt yet";
}

function Dot({ session }: { session: Session }) {
  const state = workState(session.live, session.last_seen_at, now.value);
  return state === "at work" ? <Pulse label={state} /> : <span class="live-still" role="img" aria-label={state} />;
}

function WideRow({ session }: { session: Session }) {
  return (
    <span class="session-row">
      <Dot session={session} />
      <span class="session-about">
        <span class="session-title cut">{aboutOf(session)}</span>
        <span class="session-where cut">
          {session.project ? <span>{session.project}</span> : null}
          {session.branch ? <span class="mono">{session.branch}</span> : null}
          <span>{agentLabel(session.agent)}</span>
          {session.model ? <span class="session-model">{session.model}</span> : null}
          <span class="mono">{shortId(session.id)}</span>
        </span>
      </span>
      <span class="session-outcome">
        <Outcome session={session} />
      </span>
      <Amount value={session.prompts} name="prompts" />
      <Amount value={session.tools} name="tools" />
      <Amount value={session.injected_tokens} name="tokens in" />
      <span class="session-when">
        <Ago at={session.last_seen_at} />
        <span class="faint">{span(session.last_seen_at - session.started_at)}</span>
      </span>
    </span>
  );
}

function NarrowRow({ session }: { session: Session }) {
  return (
    <span class="session-row">
      <span class="session-about">
        <span class="session-line">
          <Dot session={session} />
          <span class="session-title cut grow">{aboutOf(session)}</span>
        </span>
        <span class="session-where cut">
          {session.project ? <span>{session.project}</span> : null}
          <span>{agentLabel(session.agent)}</span>
          <Ago at={session.last_seen_at} />
        </span>
        <span class="session-where cut">
          <Outcome session={session} />
          <span>{many(session.prompts, "prompt")}</span>
          <span>{many(session.tools, "tool")}</span>
          {session.injected_tokens > 0 ? <span>{`${short(session.injected_tokens)} tokens in`}</span> : null}
        </span>
      </span>
    </span>
  );
}

function Amount({ value, name }: { value: number; name: string }) {
  return (
    <span class="session-amount" title={`${count(value)} ${name}`}>
      <span class={value === 0 ? "faint" : ""}>{short(value)}</span>
      <span class="faint">{name}</span>
    </span>
  );
}
