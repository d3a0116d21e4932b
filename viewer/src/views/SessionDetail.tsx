// The details of one step: what the agent said, word for word; what was injected, with the reason for each part; what was
// kept. All of it as text.

import { useEffect, useState } from "preact/hooks";
import { ApiError, get, segment } from "../api";
import { agentLabel, Badge, shortId, VerdictBadge } from "../parts/Badge";
import { Trouble, Waiting } from "../parts/Empty";
import { Fact } from "../parts/Field";
import { KindBadge, KindMark } from "../parts/Kind";
import { Clock, count, day, many, span } from "../parts/Time";
import { to } from "../router";
import { useAnswer, type Answer } from "../state";
import type { EventWhole, HandOff, Injection, Memory, Page, SessionWhole, TimelineItem } from "../types";

/** Text of one envelope drawn at once; the rest behind a button would still be the browser's to lay out. */
const SHOWN_TEXT = 60_000;

export function SessionDetail({ item, session }: { item: TimelineItem; session: string }) {
  return (
    <article class="detail">
      <header class="detail-head">
        <KindMark kind={item.type === "memory" && item.kind ? item.kind : item.type} />
        <div class="grow">
          <h2>{item.title || item.kind || item.type}</h2>
          <div class="session-where">
            <span>{item.type}</span>
            <span>
              {day(item.at)}, <Clock at={item.at} />
            </span>
            {item.duration_ms ? <span>{span(item.duration_ms)}</span> : null}
            {item.subagent ? <span>subagent {shortId(item.subagent)}</span> : null}
          </div>
        </div>
        {item.ok === false ? <Badge tone="bad">failed</Badge> : null}
      </header>
      <Body item={item} session={session} />
    </article>
  );
}

function Body({ item, session }: { item: TimelineItem; session: string }) {
  switch (item.type) {
    case "injection":
      return <InjectionBody item={item} session={session} />;
    case "memory":
      return item.id ? <MemoryBody id={item.id} /> : <Said text={item.detail} />;
    case "verdict":
      return <VerdictBody item={item} />;
    default:
      return item.id ? <EventBody id={item.id} /> : <Said text={item.detail} />;
  }
}

function Unanswered({ answer }: { answer: Answer<unknown> }) {
  return answer.error === undefined ? <Waiting /> : <Trouble error={answer.error} retry={answer.reload} />;
}

function Said({ text }: { text: string | null | undefined }) {
  return text ? <p class="prose">{text}</p> : null;
}

function EventBody({ id }: { id: string }) {
  const event = useAnswer<EventWhole>(`/events/${segment(id)}`);
  if (!event.data) return <Unanswered answer={event} />;
  const { envelope } = event.data;
  const parts = partsOf(envelope);
  return (
    <>
      {parts.map(({ name, text }) => (
        <section key={name}>
          <h3 class="section-title">{name}</h3>
          <Block text={text} />
        </section>
      ))}
      <details class="whole">
        <summary>Envelope, as it was journaled</summary>
        <Block text={JSON.stringify(envelope, null, 2)} />
      </details>
      <dl class="facts">
        <Fact name="Event">{event.data.kind}</Fact>
        {event.data.tool ? <Fact name="Tool">{event.data.tool}</Fact> : null}
        <Fact name="Size">{`${count(event.data.bytes)} bytes`}</Fact>
        <Fact name="Id">
          <code>{event.data.id}</code>
        </Fact>
      </dl>
    </>
  );
}

function InjectionBody({ item, session }: { item: TimelineItem; session: string }) {
  const answer = useInjection(item, session);
  if (!answer.data) return <Unanswered answer={answer} />;
  const found = answer.data;
  return (
    <>
      <dl class="facts">
        <Fact name="Behavior">{found.behavior}</Fact>
        <Fact name="Answering">{found.event}</Fact>
        <Fact name="Cost">{`${count(found.tokens)} tokens`}</Fact>
      </dl>
      {found.items.length > 0 ? (
        <section>
          <h3 class="section-title">Why each part</h3>
          <ul class="parts">
            {found.items.map((part, index) => (
              <li key={index}>
                <div class="part-head">
                  {part.memory ? (
                    <a class="link cut grow" href={to("memories", part.memory)}>
                      {part.title}
                    </a>
                  ) : (
                    <span class="cut grow">{part.title}</span>
                  )}
                  {part.part ? <span class="faint">{part.part}</span> : null}
                  <span class="faint number">{count(part.tokens)}</span>
                </div>
                {part.why ? <p class="part-why">{part.why}</p> : null}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section>
        <h3 class="section-title">What the agent was told</h3>
        <Block text={found.text} />
      </section>
    </>
  );
}

/** Pages looked through for one injection, newest first: five thousand of one session. */
const MAX_PAGES = 10;

function useInjection(item: TimelineItem, session: string): Answer<Injection> {
  const [state, set] = useState<{ item: TimelineItem; data?: Injection; error?: unknown }>({ item });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    findInjection(item, session, ending.signal).then(
      (data) => set({ item, data }),
      (error: unknown) => {
        if (!ending.signal.aborted) set({ item, error });
      },
    );
    return () => ending.abort();
  }, [item, session, round]);
  const mine = state.item === item;
  return {
    data: mine ? state.data : undefined,
    error: mine ? state.error : undefined,
    waiting: !mine,
    reload: () => setRound(round + 1),
  };
}

async function findInjection(item: TimelineItem, session: string, stop: AbortSignal): Promise<Injection> {
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page: Page<Injection> = await get("/injections", { session, limit: 500, cursor }, stop);
    const same = page.items.filter((each) => each.seq === item.seq);
    // One answer may carry notes of several behaviors.
    const found = same.find((each) => each.behavior === item.kind && each.tokens === item.tokens) ?? same[0];
    if (found) return found;
    if (page.next === null) break;
    cursor = page.next;
  }
  throw new ApiError(404, "not here", "what was injected is not kept any more");
}

function VerdictBody({ item }: { item: TimelineItem }) {
  return (
    <dl class="facts">
      <Fact name="Verdict">
        <VerdictBadge verdict={item.kind ?? ""} />
      </Fact>
      {item.tool ? <Fact name="Tool">{item.tool}</Fact> : null}
      {item.detail ? <Fact name="Behavior">{item.detail}</Fact> : null}
      <Fact name="Reason">
        <span class="prose">{item.title}</span>
      </Fact>
    </dl>
  );
}

function MemoryBody({ id }: { id: string }) {
  const memory = useAnswer<Memory>(`/memories/${segment(id)}`, {}, ["change"]);
  if (!memory.data) return <Unanswered answer={memory} />;
  const { data } = memory;
  return (
    <>
      <div class="detail-badges">
        <KindBadge kind={data.kind} />
        {data.pinned ? <Badge tone="accent">pinned</Badge> : null}
        {data.critical ? <Badge tone="bad">critical</Badge> : null}
        <a class="link" href={to("memories", id)}>
          Open the memory
        </a>
      </div>
      <p class="prose">{data.text}</p>
      {data.facts.length > 0 ? (
        <ul class="facts-list">
          {data.facts.map((fact, index) => (
            <li key={index}>{fact}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

/** What is known of the session as a whole, while no step is chosen. */
export function SessionOverview({ session }: { session: SessionWhole }) {
  return (
    <article class="detail">
      <h2>About this session</h2>
      <dl class="facts">
        <Fact name="Agent">{agentLabel(session.agent)}</Fact>
        {session.model ? <Fact name="Model">{session.model}</Fact> : null}
        {session.project ? <Fact name="Project">{session.project}</Fact> : null}
        {session.branch ? (
          <Fact name="Branch">
            <code>{session.branch}</code>
          </Fact>
        ) : null}
        {session.cwd ? (
          <Fact name="Folder">
            <code>{session.cwd}</code>
          </Fact>
        ) : null}
        <Fact name="Began">
          {day(session.started_at)}, <Clock at={session.started_at} />
          {session.source ? ` (${session.source})` : ""}
        </Fact>
        {session.ended_at ? (
          <Fact name="Ended">
            {day(session.ended_at)}, <Clock at={session.ended_at} />
            {session.end_reason ? ` (${session.end_reason})` : ""}
          </Fact>
        ) : null}
        <Fact name="Work">
          {`${many(session.prompts, "prompt")}, ${many(session.tools, "tool")}, ${many(session.events, "event")}`}
        </Fact>
        <Fact name="Kept">{many(session.counts.memories, "memory", "memories")}</Fact>
        <Fact name="Injected">
          {`${many(session.counts.injections, "note")}, ${count(session.injected_tokens)} tokens`}
        </Fact>
        {session.counts.verdicts > 0 ? <Fact name="Guards">{`spoke ${many(session.counts.verdicts, "time")}`}</Fact> : null}
        {session.counts.claims > 0 ? <Fact name="Holds">{many(session.counts.claims, "file")}</Fact> : null}
        <Fact name="Id">
          <code>{session.id}</code>
        </Fact>
      </dl>
      {session.summary ? (
        <section>
          <h3 class="section-title">Summary</h3>
          <p class="prose">{session.summary}</p>
        </section>
      ) : null}
      {session.has_hand_off ? <HandOffPart id={session.id} /> : null}
    </article>
  );
}

function HandOffPart({ id }: { id: string }) {
  const { data } = useAnswer<HandOff>(`/hand-offs/${segment(id)}`);
  if (!data) return null;
  return (
    <section>
      <h3 class="section-title">Left for the next session</h3>
      <Block text={data.text} />
    </section>
  );
}

function Block({ text }: { text: string }) {
  const cut = text.length > SHOWN_TEXT;
  return (
    <pre class="text-block" tabIndex={0}>
      {cut ? `${text.slice(0, SHOWN_TEXT)}\n… ${count(text.length - SHOWN_TEXT)} more characters` : text}
    </pre>
  );
}

/** The parts of an envelope people look for first; the names are those agents use. */
const PARTS: readonly (readonly [string, string])[] = [
  ["prompt", "Prompt"],
  ["user_prompt", "Prompt"],
  ["tool_input", "Asked of the tool"],
  ["tool_response", "What the tool said"],
  ["tool_output", "What the tool said"],
  ["error", "What went wrong"],
  ["message", "Message"],
  ["last_assistant_message", "The agent's last words"],
];

function partsOf(envelope: unknown): { name: string; text: string }[] {
  if (typeof envelope !== "object" || envelope === null) return [];
  const fields = envelope as Record<string, unknown>;
  return PARTS.flatMap(([field, name]) => {
    const value = fields[field];
    return value === undefined || value === null || value === "" ? [] : [{ name, text: readable(value) }];
  });
}

/** Text as it is; an object as its fields, one below the other, so that line breaks inside of them stay line breaks. */
function readable(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value, null, 2);
  return Object.entries(value)
    .filter(([, each]) => each !== "" && each !== null)
    .map(([name, each]) => {
      const text = typeof each === "string" ? each : JSON.stringify(each, null, 2);
      return text.includes("\n") ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
    })
    .join("\n");
}
