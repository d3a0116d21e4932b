// All that is kept, as one list of any length, with what narrows and orders it, and what can be done to many at once.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Query } from "../api";
import { useKeys } from "../keys";
import { go, place, to } from "../router";
import { NARROW, useHeard, useMedia, usePages, useProjects } from "../state";
import { on } from "../stream";
import type { MemoryCard } from "../types";
import { Badge } from "../parts/Badge";
import { Dialog } from "../parts/Dialog";
import { Command, Empty, Trouble, Waiting } from "../parts/Empty";
import { Icon, KindMark } from "../parts/Kind";
import { ViewHead } from "../parts/Layout";
import { NewForm } from "../parts/MemoryForm";
import { Ago, count, many } from "../parts/Time";
import { say } from "../parts/Toast";
import { type ListHandle, VirtualList } from "../parts/VirtualList";
import { ChosenBar } from "./MemoriesChosen";
import { MemoriesFilters } from "./MemoriesFilters";
import { KINDS, moment } from "./SearchFilters";

const ROW_PX = 60;
const NARROW_ROW_PX = 84;

/** Where the list was left, so that who comes back from a memory finds the same row. */
let left = { key: "", index: 0 };

export function Memories() {
  const fields = place.value.query;
  const query = useMemo(() => queryOf(fields), [fields]);
  const key = JSON.stringify(query);
  const pages = usePages<MemoryCard>("/memories", query);
  const projects = useProjects().map((one) => one.name);
  const isNarrow = useMedia(NARROW);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isNew, setIsNew] = useState(false);
  const [fresh, setFresh] = useState(0);
  const lastTurned = useRef<number | null>(null);
  const current = useRef(0);
  const list = useRef<ListHandle | null>(null);

  useEffect(() => setChosen(new Set()), [key]);
  useEffect(() => setFresh(0), [key]);
  useEffect(() => on("memory", () => setFresh((before) => before + 1)), []);
  useHeard(["change"], pages.reload);
  const isThere = pages.total !== undefined;
  useEffect(() => {
    if (isThere && left.key === key && left.index > 0) list.current?.show(left.index, true);
  }, [isThere]);

  const turn = (index: number, isRange: boolean): void => {
    const next = new Set(chosen);
    const item = pages.at(index);
    if (item === undefined) return;
    const isOn = !next.has(item.id);
    const from = isRange && lastTurned.current !== null ? lastTurned.current : index;
    for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
      const id = pages.at(at)?.id;
      if (id === undefined) continue;
      if (isOn) next.add(id);
      else next.delete(id);
    }
    lastTurned.current = index;
    setChosen(next);
  };
  const turned = useRef(turn);
  turned.current = turn;
  const clear = useCallback(() => setChosen(new Set()), []);
  useKeys(
    useMemo(
      () => [
        { key: "n", does: "New memory", run: () => setIsNew(true) },
        { key: "x", does: "Choose the row", run: () => turned.current(current.current, false) },
        { key: "X", does: "Choose up to the row", run: () => turned.current(current.current, true) },
        { key: "Escape", does: "Choose nothing", run: clear },
      ],
      [],
    ),
  );
  const update = (): void => {
    setFresh(0);
    pages.reload();
  };

  return (
    <section class="view view-fixed" data-view="memories">
      <ViewHead
        title="Memories"
        note={pages.total === undefined ? null : <span role="status">{count(pages.total)}</span>}
      >
        {fresh > 0 ? (
          <button type="button" class="button" onClick={update}>
            {many(fresh, "new memory", "new memories")}: show
          </button>
        ) : null}
        <button type="button" class="button button-main" onClick={() => setIsNew(true)}>
          New memory
        </button>
      </ViewHead>
      <MemoriesFilters fields={fields} projects={projects} />
      {pages.error !== undefined && pages.total === undefined ? (
        <Trouble error={pages.error} retry={pages.reload} />
      ) : pages.total === undefined ? (
        <div class="view-body">
          <Waiting rows={12} />
        </div>
      ) : pages.total === 0 ? (
        <Nothing filtered={[...fields.keys()].some((name) => name !== "order")} />
      ) : (
        <VirtualList
          label="Memories"
          class={chosen.size > 0 ? "memories-choosing" : ""}
          count={pages.total}
          height={isNarrow ? NARROW_ROW_PX : ROW_PX}
          at={pages.at}
          id={(memory) => memory.id}
          href={(memory) => to("memories", memory.id)}
          row={(memory) => <Row memory={memory} />}
          lead={(memory, index) => (
            <label class="memory-check">
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={`Choose ${memory.title}`}
                checked={chosen.has(memory.id)}
                onClick={(event) => turn(index, event.shiftKey)}
              />
            </label>
          )}
          moved={(_, index) => {
            current.current = index;
            left = { key, index };
          }}
          look={pages.look}
          handle={(handle) => (list.current = handle)}
          global
        />
      )}
      {chosen.size > 0 ? <ChosenBar ids={[...chosen]} clear={clear} changed={pages.reload} /> : null}
      {isNew ? (
        <Dialog title="New memory" close={() => setIsNew(false)} wide>
          <NewForm
            projects={projects}
            kinds={["note", ...KINDS.filter((kind) => !NOT_WRITTEN.has(kind))]}
            cancel={() => setIsNew(false)}
            done={(memory, known) => {
              setIsNew(false);
              say(known ? "The same words were kept already" : "Remembered");
              go(to("memories", memory.id));
            }}
          />
        </Dialog>
      ) : null}
    </section>
  );
}

/** Kinds that come from elsewhere, or that stand first already. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(["note", "prompt", "chunk", "summary", "document", "incident"]);

function Row({ memory }: { memory: MemoryCard }) {
  return (
    <>
      <KindMark kind={memory.kind} />
      <span class="memory-line">
        <span class="memory-title">
          <span class="cut">{memory.title}</span>
          {memory.pinned ? <Icon name="pin" size={13} label="pinned" /> : null}
          {memory.critical ? <Badge tone="bad">critical</Badge> : null}
          {memory.superseded_by ? <Badge>superseded</Badge> : null}
          {memory.origin === "outside" ? <Badge tone="warn">outside</Badge> : null}
        </span>
        <span class="memory-text cut">{firstLine(memory)}</span>
      </span>
      <span class="memory-facts">
        <span class="memory-uses">{memory.hits ? many(memory.hits, "use") : ""}</span>
        <span class="memory-project cut">{memory.project ?? ""}</span>
        <span class="memory-at">{memory.at > 0 ? <Ago at={memory.at} /> : "–"}</span>
      </span>
    </>
  );
}

/** What it says beside its title: many a note's title is the beginning of its text. */
function firstLine(memory: MemoryCard): string {
  if (memory.subtitle) return memory.subtitle;
  const text = memory.text.replace(/\s+/g, " ").trim();
  const title = memory.title.replace(/…$/, "").trim();
  return text.startsWith(title) ? text.slice(title.length).replace(/^[\s.:,…]+/, "") : text;
}

function Nothing({ filtered }: { filtered: boolean }) {
  return filtered ? (
    <Empty icon="memories" title="Nothing of this kind">
      <button type="button" class="button" onClick={() => go(to("memories"))}>
        Show all memories
      </button>
    </Empty>
  ) : (
    <Empty icon="memories" title="Nothing is remembered yet">
      <p>Memories come from agents at work. Their hooks are put in place by</p>
      <Command>throughline install</Command>
      <p>Past conversations are taken in by</p>
      <Command>throughline backfill</Command>
    </Empty>
  );
}

function queryOf(fields: URLSearchParams): Query {
  const query: Record<string, string | boolean | number | readonly string[]> = {};
  const kinds = (fields.get("kind") ?? "").split(",").filter((kind) => kind !== "");
  if (kinds.length > 0) query["kind"] = kinds;
  for (const name of ["project", "file", "session", "tool", "branch", "written_by"]) {
    const value = fields.get(name);
    if (value) query[name] = value;
  }
  for (const name of ["since", "until"] as const) {
    const day = fields.get(name);
    if (day) query[name] = moment(day, name === "until");
  }
  for (const name of ["pinned", "critical"]) if (fields.get(name)) query[name] = true;
  const order = fields.get("order");
  if (order && order !== "newest") query["order"] = order;
  return query;
}
