// Work as it happens: every session's prompts, tools, memories, injections and guards in one stream that can be held still.

import { useMemo, useRef, useState } from "preact/hooks";
import { workState } from "../atWork";
import { useKeys } from "../keys";
import { heard, KEPT_LINES, lines, turnOf, type Heard, type Line } from "../live";
import { agentLabel, Badge, Pulse, shortId, VerdictBadge } from "../parts/Badge";
import { Command, Empty } from "../parts/Empty";
import { Chips, Select } from "../parts/Field";
import { Icon, KindMark, TYPES } from "../parts/Kind";
import { ViewHead } from "../parts/Layout";
import { Ago, Clock, count, many, short } from "../parts/Time";
import { VirtualList, type ListHandle } from "../parts/VirtualList";
import { place, refine, to } from "../router";
import { NARROW, now, useMedia } from "../state";

/** One line of text, two, and the head of a group. */
const LOW = 34;
const HIGH = 54;
const HEAD = 40;

type Row = { line: Line; head?: undefined } | { head: Line; line?: undefined };

export function Live() {
  const turn = turnOf.value;
  const query = place.value.query;
  const session = query.get("session") ?? "";
  const project = query.get("project") ?? "";
  const types = useMemo(() => new Set(query.get("types")?.split(",").filter(Boolean) ?? []), [query.get("types")]);
  const [held, setHeld] = useState<number | null>(null);
  const list = useRef<ListHandle | null>(null);
  const narrow = useMedia(NARROW);

  const fits = (line: Line) =>
    (types.size === 0 || types.has(line.type)) &&
    (!session || line.session === session) &&
    (!project || (line.project ?? heard.get(line.session)?.project) === project);
  const { rows, waiting } = useMemo(
    () => arrange(lines, fits, held),
    [turn, types, session, project, held],
  );
  const height = useMemo(() => (index: number) => heightOf(rows[index]), [rows]);

  const pause = () => setHeld(lines.at(-1)?.number ?? 0);
  const follow = () => {
    setHeld(null);
    list.current?.end();
  };
  const turnHeld = () => (held === null ? pause() : follow());
  useKeys(
    [
      { key: "p", does: "Hold the stream, let it go", run: turnHeld },
      { key: "Escape", does: "Show all sessions", run: () => refine({ session: null, project: null, types: null }) },
    ],
    [held],
  );

  const projects = [...new Set([...heard.values()].map((each) => each.project).filter((name) => name !== null))].sort();
  const sessions = [...heard.values()].sort((left, right) => right.lastAt - left.lastAt);
  const filtered = types.size > 0 || session !== "" || project !== "";
  const atWork = sessions.filter(isAtWork).length;

  return (
    <section class="view view-fixed" data-view="live">
      <ViewHead title="Live" note={atWork > 0 ? many(atWork, "session at work", "sessions at work") : undefined}>
        <button type="button" class="button" aria-pressed={held !== null} onClick={turnHeld} title="p">
          <Icon name={held === null ? "pause" : "start"} size={14} />
          {held === null ? "Pause" : "Follow"}
        </button>
      </ViewHead>
      <div class="filters">
        <Chips label="Show only" choices={TYPES} on={types} change={(on) => refine({ types: [...on].join(",") })} />
        <Select
          label="Project"
          value={project}
          choices={[{ value: "", label: "All projects" }, ...projects.map((name) => ({ value: name, label: name }))]}
          change={(value) => refine({ project: value })}
        />
        <Select
          label="Session"
          value={session}
          choices={[
            { value: "", label: "All sessions" },
            ...sessions.map((each) => ({ value: each.session, label: `${each.project ?? "–"} · ${shortId(each.session)}` })),
          ]}
          change={(value) => refine({ session: value })}
        />
      </div>
      <div class="live">
        <div class="live-stream">
          {rows.length === 0 ? (
            <Quiet filtered={filtered} />
          ) : (
            <VirtualList
              label="What happens"
              class="live-list"
              count={rows.length}
              height={height}
              at={(index) => rows[index]}
              id={(row) => (row.line ? String(row.line.number) : `head-${row.head.number}`)}
              href={(row) => addressOf(row)}
              row={(row) => (row.line ? <LineRow line={row.line} narrow={narrow} /> : <HeadRow head={row.head} />)}
              follow={held === null}
              scrolled={(end) => {
                if (end) setHeld(null);
                else if (held === null) pause();
              }}
              handle={(handle) => (list.current = handle)}
              global
            />
          )}
          {held !== null && rows.length > 0 ? (
            <button type="button" class="button live-more" onClick={follow}>
              <Icon name="down" size={14} />
              {waiting > 0 ? `${count(waiting)} new` : "To the end"}
            </button>
          ) : null}
        </div>
        <aside class="live-side" aria-label="Sessions in this stream">
          <h2 class="section-title">Sessions</h2>
          {sessions.length === 0 ? <p class="faint live-none">Whoever works appears here.</p> : null}
          <ul>
            {sessions.slice(0, 40).map((each) => (
              <li key={each.session}>
                <SessionCard heard={each} chosen={each.session === session} />
              </li>
            ))}
          </ul>
        </aside>
      </div>
    </section>
  );
}

function Quiet({ filtered }: { filtered: boolean }) {
  if (filtered && lines.length > 0) {
    return (
      <Empty icon="live" title="Nothing of this kind yet">
        <p>{`${many(lines.length, "line")} of other kinds are hidden.`}</p>
        <button type="button" class="button" onClick={() => refine({ session: null, project: null, types: null })}>
          Show all
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="live" title="Listening">
      <p>
        What agents do appears here the moment it happens. Nothing? See whether your agent is connected:{" "}
        <Command>throughline doctor</Command>
      </p>
      <a class="link" href={to("sessions")}>
        Look at earlier sessions
      </a>
    </Empty>
  );
}

function LineRow({ line, narrow }: { line: Line; narrow: boolean }) {
  return (
    <span class={`live-line live-${line.type} ${line.subagent ? "live-inner" : ""}`}>
      {narrow ? null : <Clock at={line.at} />}
      <KindMark kind={line.type === "memory" ? line.kind : line.type} label={line.type === "memory" ? line.kind : line.type} />
      <span class="live-text">
        <span class="live-title">
          {line.verdict ? <VerdictBadge verdict={line.verdict} /> : null}
          <span class="cut">{line.title || line.kind}</span>
        </span>
        {line.detail ? <span class="live-detail cut">{line.detail}</span> : null}
      </span>
      <State line={line} />
    </span>
  );
}

function State({ line }: { line: Line }) {
  if (line.running) return <Badge>running</Badge>;
  if (line.ok === false) return <Badge tone="bad">failed</Badge>;
  if (line.type === "injection") return <span class="live-tokens">{`${count(line.tokens)} tokens`}</span>;
  if (line.type === "memory") return <span class="faint">kept</span>;
  return line.type === "event" ? <span class="faint live-kind">{line.kind}</span> : null;
}

function isAtWork(each: Heard): boolean {
  return workState(each.live, each.lastAt, now.value) === "at work";
}

function HeadRow({ head }: { head: Line }) {
  const known = heard.get(head.session);
  return (
    <span class="live-head">
      {known && isAtWork(known) ? <Pulse label="at work" /> : <span class="live-still" />}
      <strong class="cut">{known?.project ?? head.project ?? "no project"}</strong>
      {known?.branch ? <span class="faint cut">{known.branch}</span> : null}
      <span class="faint mono">{head.session ? shortId(head.session) : "told directly"}</span>
      {known?.agent ? <span class="faint cut live-agent">{agentLabel(known.agent)}</span> : null}
    </span>
  );
}

function SessionCard({ heard: each, chosen }: { heard: Heard; chosen: boolean }) {
  return (
    <button
      type="button"
      class="live-card"
      aria-pressed={chosen}
      onClick={() => refine({ session: chosen ? null : each.session })}
    >
      <span class="live-card-head">
        {isAtWork(each) ? <Pulse label="at work" /> : <span class="live-still" />}
        <strong class="cut grow">{each.project ?? shortId(each.session)}</strong>
        <span class="faint">
          <Ago at={each.lastAt} />
        </span>
      </span>
      <span class="live-card-last cut">{each.last}</span>
      <span class="faint live-card-foot">
        <span class="mono">{shortId(each.session)}</span>
        {each.lines > 0 ? <span>{many(each.lines, "line")}</span> : null}
        {each.tokens > 0 ? <span>{`${short(each.tokens)} tokens in`}</span> : null}
      </span>
    </button>
  );
}

function addressOf(row: Row): string | null {
  const { session, type, id, seq } = row.line ?? row.head;
  if (row.head) return session ? to("sessions", session) : null;
  if (type === "memory" && id) return to("memories", id);
  return session ? to("sessions", session, { seq: seq === null ? null : String(seq) }) : null;
}

function heightOf(row: Row | undefined): number {
  if (!row?.line) return HEAD;
  return row.line.detail ? HIGH : LOW;
}

/** Lines that fit, with a head wherever the session changes; those after `held` only counted. */
function arrange(all: readonly Line[], fits: (line: Line) => boolean, held: number | null): { rows: Row[]; waiting: number } {
  const rows: Row[] = [];
  let session: string | null = null;
  let waiting = 0;
  for (const line of all.slice(-KEPT_LINES)) {
    if (!fits(line)) continue;
    if (held !== null && line.number > held) {
      waiting += 1;
      continue;
    }
    if (line.session !== session) rows.push({ head: line });
    session = line.session;
    rows.push({ line });
  }
  return { rows, waiting };
}
