// The details of one step: what the agent said, word for word; what was injected, with the reason for each part; what was
// kept. All of it as text.

import { segment } from "../api";
import { agentLabel, Badge, shortId } from "../parts/Badge";
import { Trouble, Waiting } from "../parts/Empty";
import { Fact } from "../parts/Field";
import { KindBadge, KindMark } from "../parts/Kind";
import { Clock, count, day, span } from "../parts/Time";
import { to } from "../router";
import { useAnswer } from "../state";
import type { EventWhole, Injection, Memory, Page, SessionWhole, TimelineItem } from "../types";

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
      return (
        <>
          <Said text={item.detail} />
          {item.id ? <EventBody id={item.id} /> : null}
        </>
      );
    default:
      return item.id ? <EventBody id={item.id} /> : <Said text={item.detail} />;
  }
}

function Said({ text }: { text: string | null | undefined }) {
  return text ? <p class="prose">{text}</p> : null;
}

function EventBody({ id }: { id: string }) {
  const event = useAnswer<EventWhole>(`/events/${segment(id)}`);
  if (event.error !== undefined) return <Trouble error={event.error} retry={event.reload} />;
  if (!event.data) return <Waiting />;
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
  // The injections of one session are few; the one with this place in the journal is among those around it.
  const answer = useAnswer<Page<Injection>>("/injections", { session, limit: 500 });
  if (answer.error !== undefined) return <Trouble error={answer.error} retry={answer.reload} />;
  if (!answer.data) return <Waiting />;
  const found =
    answer.data.items.find((each) => each.seq === item.seq) ?? answer.data.items.find((each) => each.at === item.at);
  if (!found) return <Said text={item.detail} />;
  return (
    <>
      <dl class="facts">
        <Fact name="Behavior">{found.behavior}</Fact>
        <Fact name="Before">{found.event}</Fact>
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

function MemoryBody({ id }: { id: string }) {
  const memory = useAnswer<Memory>(`/memories/${segment(id)}`, {}, ["change"]);
  if (memory.error !== undefined) return <Trouble error={memory.error} retry={memory.reload} />;
  if (!memory.data) return <Waiting />;
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
          {`${count(session.prompts)} prompts, ${count(session.tools)} tools, ${count(session.events)} events`}
        </Fact>
        <Fact name="Injected">{`${count(session.injected_tokens)} tokens`}</Fact>
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
      {session.hand_off ? (
        <section>
          <h3 class="section-title">Hand-off</h3>
          <Block text={session.hand_off.text} />
        </section>
      ) : null}
    </article>
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
    .map(([name, each]) => {
      const text = typeof each === "string" ? each : JSON.stringify(each, null, 2);
      return text.includes("\n") ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
    })
    .join("\n");
}
