// One memory, whole: what it says, where it comes from, where it was told, and all that can be done to it.

import { useMemo, useState } from "preact/hooks";
import { etagOf, explain, segment, send } from "../api";
import { useKeys } from "../keys";
import { go, to } from "../router";
import { useAnswer } from "../state";
import type { Memory as Whole } from "../types";
import { Badge } from "../parts/Badge";
import { Confirm } from "../parts/Dialog";
import { Trouble, Waiting } from "../parts/Empty";
import { Icon, KindBadge } from "../parts/Kind";
import { ViewHead } from "../parts/Layout";
import { EditForm } from "../parts/MemoryForm";
import { Ago, many } from "../parts/Time";
import { say } from "../parts/Toast";
import type { ViewProps } from "./index";
import { MemoryFacts } from "./MemoryFacts";
import { type History, MemoryHistory } from "./MemoryHistory";
import { Supersede } from "./MemorySupersede";

export interface MemoryWhole extends Omit<Whole, "evidence"> {
  evidence?: string[] | null;
}

type Doing = "edit" | "forget" | "supersede" | null;

export function Memory({ id }: ViewProps) {
  const path = `/memories/${segment(id)}`;
  const answer = useAnswer<MemoryWhole>(path, {}, ["change"]);
  const history = useAnswer<History>(`${path}/history`, {}, ["injection"]);
  const [doing, setDoing] = useState<Doing>(null);
  const memory = answer.data;
  useKeys(
    useMemo(
      () => [
        { key: "e", does: "Edit the memory", run: () => setDoing("edit") },
        {
          key: "Escape",
          does: "Back to the memories",
          // Outside of its fields, the form stays: it may hold words that are nowhere else.
          run: () => {
            if (doing === "edit") return;
            if (window.history.length > 1) window.history.back();
            else go(to("memories"));
          },
        },
      ],
      [doing],
    ),
    [doing],
  );
  const change = async (does: () => Promise<unknown>, done: string): Promise<void> => {
    try {
      await does();
      say(done);
    } catch (trouble) {
      say(explain(trouble), true);
    }
    answer.reload();
  };

  return (
    <section class="view" data-view="memory">
      <ViewHead
        title={
          <>
            <a class="memory-back button-icon" href={to("memories")} aria-label="All memories" title="All memories">
              <Icon name="back" />
            </a>
            {memory === undefined ? "Memory" : memory.title}
          </>
        }
      >
        {memory !== undefined && doing !== "edit" ? (
          <>
            <button type="button" class="button" onClick={() => setDoing("edit")}>
              Edit
            </button>
            <button
              type="button"
              class="button"
              aria-pressed={memory.pinned}
              onClick={() =>
                void change(
                  () => send("POST", `${path}/pin`, { pinned: !memory.pinned }),
                  memory.pinned ? "It may be dropped to make room" : "It is never dropped to make room",
                )
              }
            >
              <Icon name="pin" size={14} />
              {memory.pinned ? "Pinned" : "Pin"}
            </button>
            <button type="button" class="button" onClick={() => setDoing("supersede")}>
              Supersede
            </button>
            <button type="button" class="button button-bad" onClick={() => setDoing("forget")}>
              <Icon name="trash" size={14} />
              Forget
            </button>
          </>
        ) : null}
      </ViewHead>
      <div class="view-body">
        {answer.error !== undefined && memory === undefined ? (
          <Trouble error={answer.error} retry={answer.reload} />
        ) : memory === undefined ? (
          <Waiting rows={10} />
        ) : (
          <div class="memory">
            <div class="memory-main">
              <Marks memory={memory} />
              {memory.superseded_by ? (
                <p class="notice">
                  Another memory holds instead of this one:{" "}
                  <a class="link mono" href={to("memories", memory.superseded_by)}>
                    {memory.superseded_by}
                  </a>
                </p>
              ) : null}
              {doing === "edit" ? (
                <EditForm
                  memory={memory as unknown as Whole}
                  etag={etagOf(path)}
                  cancel={() => setDoing(null)}
                  done={() => {
                    setDoing(null);
                    say("Saved");
                    answer.reload();
                  }}
                  reload={() => {
                    setDoing(null);
                    answer.reload();
                  }}
                />
              ) : (
                <Words memory={memory} />
              )}
              <MemoryHistory answer={history} />
            </div>
            <MemoryFacts memory={memory} />
          </div>
        )}
      </div>
      {memory !== undefined && doing === "forget" ? (
        <Confirm
          title="Forget this memory?"
          does="Forget it for good"
          run={async () => {
            await send("DELETE", path);
            say("Forgotten");
            go(to("memories"));
          }}
          close={() => setDoing(null)}
        >
          <p class="forget-title">{memory.title}</p>
          <p>{goes(memory, history.data)}</p>
          <p>It cannot be brought back. To keep it and say that it no longer holds, supersede it instead.</p>
        </Confirm>
      ) : null}
      {memory !== undefined && doing === "supersede" ? (
        <Supersede
          id={memory.id}
          title={memory.title}
          close={() => setDoing(null)}
          done={() => {
            setDoing(null);
            say("Superseded");
            answer.reload();
          }}
        />
      ) : null}
    </section>
  );
}

function Marks({ memory }: { memory: MemoryWhole }) {
  return (
    <div class="memory-marks">
      <KindBadge kind={memory.kind} />
      {memory.critical ? <Badge tone="bad">critical</Badge> : null}
      {memory.urgency === "high" ? <Badge tone="warn">urgent</Badge> : null}
      {memory.origin === "outside" ? (
        <Badge tone="warn" title="never said to an agent unasked">
          words from outside
        </Badge>
      ) : null}
      {memory.at > 0 ? <Ago at={memory.at} /> : null}
      {memory.project ? <span>{memory.project}</span> : null}
      <span>{many(memory.tokens, "token")}</span>
    </div>
  );
}

function Words({ memory }: { memory: MemoryWhole }) {
  return (
    <article class="memory-words">
      {memory.subtitle && !memory.text.startsWith(memory.subtitle) ? <p class="memory-subtitle">{memory.subtitle}</p> : null}
      <p class="prose memory-prose">{memory.text}</p>
      {memory.facts.length > 0 ? (
        <>
          <h2 class="section-title">Facts</h2>
          <ul class="memory-fact-list">
            {memory.facts.map((fact, index) => (
              <li key={index}>{fact}</li>
            ))}
          </ul>
        </>
      ) : null}
      {memory.concepts.length > 0 ? (
        <>
          <h2 class="section-title">Found by</h2>
          <p class="memory-concepts">
            {memory.concepts.map((concept, index) => (
              <Badge key={index}>{concept}</Badge>
            ))}
          </p>
        </>
      ) : null}
    </article>
  );
}

/** What is lost with it, in a sentence. */
function goes(memory: MemoryWhole, history: History | undefined): string {
  const parts = [`its words, its vectors and the journal's entry`];
  if (memory.facts.length > 0) parts.push(many(memory.facts.length, "fact"));
  const merged = history?.merged?.length ?? 0;
  if (merged > 0) parts.push(`${many(merged, "memory", "memories")} that said the same`);
  const told = memory.injected ? ` Agents were told it ${many(memory.injected, "time")}.` : "";
  return `With it goes: ${parts.join(", ")}.${told}`;
}
