// One session as a timeline that can be followed and scrubbed: what was asked, done, kept, injected and refused.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { segment, send } from "../api";
import { useKeys } from "../keys";
import { agentLabel, Badge, shortId, VerdictBadge } from "../parts/Badge";
import { Confirm, Dialog } from "../parts/Dialog";
import { Empty, Trouble, Waiting } from "../parts/Empty";
import { Chips } from "../parts/Field";
import { Icon, KindMark, TYPES } from "../parts/Kind";
import { Scrubber } from "../parts/Scrubber";
import { Ago, Clock, count, many, span } from "../parts/Time";
import { say } from "../parts/Toast";
import { VirtualList, type ListHandle } from "../parts/VirtualList";
import { go, place, refine, to } from "../router";
import { NARROW, useAnswer, useHeard, useMedia } from "../state";
import { useScale, useTimeline } from "../timeline";
import type { SessionWhole, TimelineItem } from "../types";
import type { ViewProps } from "./index";
import { SessionDetail, SessionOverview } from "./SessionDetail";
import { aboutOf, Outcome } from "./Sessions";


const ROW = 36;
const PROMPT_ROW = 48;

export function Session({ id }: ViewProps) {
  const session = useAnswer<SessionWhole>(`/sessions/${segment(id)}`);
  useHeard(session.data?.live === false ? [] : ["session"], session.reload);
  const timeline = useTimeline(id);
  const [only, setOnly] = useState<ReadonlySet<string>>(new Set());
  const items = useMemo(
    () => (only.size === 0 ? timeline.items : timeline.items.filter((item) => only.has(item.type))),
    [timeline.items, only],
  );
  const present = useMemo(() => new Set(timeline.items.map((item) => item.type)), [timeline.items]);
  const scale = useScale(items);
  const [chosen, setChosen] = useState(-1);
  const [still, setStill] = useState(false);
  const [opened, setOpened] = useState(false);
  const [forgetting, setForgetting] = useState(false);
  const list = useRef<ListHandle | null>(null);
  const narrow = useMedia(NARROW);
  const height = useMemo(() => (index: number) => (items[index]?.type === "prompt" ? PROMPT_ROW : ROW), [items]);

  // What goes on is followed at its end, until the person looks at something.
  const following = session.data?.live === true && chosen < 0 && !still;
  const choose = (index: number) => {
    setChosen(index);
    list.current?.show(index);
  };
  const follow = () => {
    setChosen(-1);
    setStill(false);
    list.current?.end();
  };
  const wanted = place.value.query.get("seq");
  useEffect(() => {
    if (!wanted || timeline.loading) return;
    // A call stands where it ended, which may be elsewhere than where it was heard of.
    const exact = items.findIndex((item) => item.seq === Number(wanted));
    const index = exact >= 0 ? exact : items.findIndex((item) => (item.seq ?? 0) > Number(wanted));
    if (index < 0) return;
    choose(index);
    refine({ seq: null });
  }, [wanted, items, timeline.loading]);
  const turn = (by: 1 | -1) => {
    for (let index = Math.max(0, chosen) + by; index >= 0 && index < items.length; index += by) {
      if (items[index]?.type === "prompt") return choose(index);
    }
  };
  useKeys(
    [
      { key: "ArrowRight", does: "Next prompt", run: () => turn(1) },
      { key: "ArrowLeft", does: "Previous prompt", run: () => turn(-1) },
      { key: "Escape", does: "Back to all sessions", run: () => (chosen >= 0 ? setChosen(-1) : go(to("sessions"))) },
    ],
    [chosen, items],
  );

  if (session.error !== undefined && !session.data) {
    return (
      <section class="view" data-view="session">
        <Trouble error={session.error} retry={session.reload} />
      </section>
    );
  }
  const whole = session.data;
  const item = items[chosen];

  return (
    <section class="view view-fixed" data-view="session">
      <Head id={id} session={whole} forget={() => setForgetting(true)} />
      {timeline.items.length > 0 ? (
        <>
          <Scrubber items={items} scale={scale} chosen={chosen >= 0 ? chosen : following ? items.length - 1 : 0} choose={choose} />
          <div class="filters">
            <Chips
              label="Show only"
              choices={TYPES.filter((type) => present.has(type.value))}
              on={only}
              change={(on) => {
                setChosen(-1);
                setOnly(on);
              }}
            />
            <span class="view-note session-count">
              {chosen >= 0 ? `${count(chosen + 1)} of ${count(items.length)}` : many(items.length, "step")}
              {timeline.total !== undefined && timeline.total > timeline.items.length
                ? `, ${count(timeline.items.length)} of ${count(timeline.total)} loaded`
                : ""}
            </span>
            {whole?.live && !following ? (
              <button type="button" class="button" onClick={follow}>
                <Icon name="down" size={14} />
                Follow
              </button>
            ) : null}
          </div>
        </>
      ) : null}
      <div class="split">
        <div class="split-main">
          {timeline.items.length === 0 ? (
            <Nothing loading={timeline.loading || timeline.total === undefined} error={timeline.error} retry={timeline.reload} />
          ) : (
            <VirtualList
              label="Timeline"
              class="timeline"
              count={items.length}
              height={height}
              at={(index) => items[index]}
              id={(each, index) => each.id ?? `${each.type}-${each.seq ?? index}`}
              row={(each) => <ItemRow item={each} narrow={narrow} />}
              open={() => setOpened(true)}
              moved={(_, index) => setChosen(index)}
              chosen={chosen >= 0 ? chosen : undefined}
              follow={following}
              scrolled={(end) => setStill(!end)}
              handle={(handle) => (list.current = handle)}
              global
            />
          )}
        </div>
        {narrow ? null : (
          <aside class="split-side" aria-label="Details" tabIndex={0}>
            {item ? <SessionDetail item={item} session={id} /> : whole ? <SessionOverview session={whole} /> : <Waiting />}
          </aside>
        )}
      </div>
      {narrow && opened && item ? (
        <Dialog title="Details" close={() => setOpened(false)} wide>
          <SessionDetail item={item} session={id} />
        </Dialog>
      ) : null}
      {forgetting ? <Forget id={id} close={() => setForgetting(false)} /> : null}
    </section>
  );
}

function Head({ id, session, forget }: { id: string; session: SessionWhole | undefined; forget: () => void }) {
  return (
    <header class="session-head">
      <a class="button-icon" href={to("sessions")} aria-label="All sessions" title="All sessions (Esc)">
        <Icon name="back" />
      </a>
      <div class="grow">
        <h1 class="cut" title={session ? aboutOf(session) : id}>
          {session ? aboutOf(session) : shortId(id)}
        </h1>
        {session ? (
          <div class="session-where cut">
            {session.project ? <span>{session.project}</span> : null}
            {session.branch ? <span class="mono">{session.branch}</span> : null}
            <span>{agentLabel(session.agent)}</span>
            <Ago at={session.started_at} />
            <span>{span(session.last_seen_at - session.started_at)}</span>
          </div>
        ) : null}
      </div>
      {session ? <Outcome session={session} /> : null}
      <button type="button" class="button-icon" aria-label="Forget this session" title="Forget this session" onClick={forget}>
        <Icon name="trash" />
      </button>
    </header>
  );
}

function Nothing({ loading, error, retry }: { loading: boolean; error: unknown; retry: () => void }) {
  if (error !== undefined) return <Trouble error={error} retry={retry} />;
  if (loading) {
    return (
      <div class="view-body">
        <Waiting rows={10} />
      </div>
    );
  }
  return (
    <Empty icon="sessions" title="Nothing happened yet">
      <p>The session began, and nothing was asked or done. It grows here by itself.</p>
    </Empty>
  );
}

function ItemRow({ item, narrow }: { item: TimelineItem; narrow: boolean }) {
  const mark = item.type === "memory" && item.kind ? item.kind : item.type;
  const detail = item.type === "prompt" ? null : item.type === "injection" ? item.kind : item.detail;
  return (
    <span class={`step step-${item.type} ${item.subagent ? "step-inner" : ""}`}>
      {narrow ? null : <Clock at={item.at} />}
      <KindMark kind={mark} />
      <span class="step-text cut">
        <span class="step-title">{item.title || item.kind || item.type}</span>
        {detail && detail !== item.title ? <span class="step-detail">{detail}</span> : null}
      </span>
      {item.ok === false ? <Badge tone="bad">failed</Badge> : null}
      {item.type === "verdict" && item.kind ? <VerdictBadge verdict={item.kind} /> : null}
      {item.tokens && item.type === "injection" ? <span class="step-amount step-tokens">{`${count(item.tokens)} tokens`}</span> : null}
      {item.duration_ms ? <span class="step-amount">{span(item.duration_ms)}</span> : null}
    </span>
  );
}

function Forget({ id, close }: { id: string; close: () => void }) {
  return (
    <Confirm
      title="Forget this session?"
      does="Forget it"
      typed="forget"
      close={close}
      run={async () => {
        await send("DELETE", `/sessions/${segment(id)}`);
        say("The session is forgotten");
        go(to("sessions"));
      }}
    >
      <p>
        Its prompts, events and everything that was learned from it are erased from this machine. This cannot be undone.
      </p>
    </Confirm>
  );
}
