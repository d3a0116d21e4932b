// Ask, and see why each answer is one. Asks while the person types; an answer that comes too late is not shown.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, type Query } from "../api";
import { useKeys } from "../keys";
import { place, refine, to } from "../router";
import { useProjects } from "../state";
import { Command, Empty, Trouble, Waiting } from "../parts/Empty";
import type { Reason } from "../parts/Explain";
import { Icon } from "../parts/Kind";
import { ViewHead } from "../parts/Layout";
import { many } from "../parts/Time";
import { SearchFilters, moment } from "./SearchFilters";
import { SearchHit } from "./SearchHit";

export interface Hit {
  id: string;
  kind: string;
  title: string;
  at: number;
  project?: string | null;
  session?: string | null;
  score: number;
  origin?: string | null;
  tokens: number;
  same: string[];
  why?: Reason[] | null;
  snippet?: string | null;
}

interface Found {
  items: Hit[];
  took_us: number;
  embedder?: string | null;
}

/** Waits for a pause in the typing: shorter than it takes to notice, longer than between two letters. */
const PAUSE_MS = 120;
const FEW = 30;
const MOST = 100;

/** What the filters of the address mean to the API. */
export const FILTERS = ["project", "kind", "file", "session", "since", "until"] as const;

export function Search() {
  const fields = place.value.query;
  const asked = fields.get("q") ?? "";
  const [text, setText] = useState(asked);
  const [limit, setLimit] = useState(FEW);
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const pause = useRef(0);
  const projects = useProjects();
  const query = useMemo(() => queryOf(fields, limit), [fields, limit]);
  const { found, error, busy, retry } = useSearch(asked === "" ? null : query);

  // Back and forward change the address; the box follows, unless it is the one that changed it.
  useEffect(() => {
    if (document.activeElement !== box.current) setText(asked);
  }, [asked]);
  useEffect(() => setLimit(FEW), [asked]);
  useEffect(() => {
    if (window.matchMedia("(min-width: 720px)").matches) box.current?.focus();
    return () => window.clearTimeout(pause.current);
  }, []);

  const ask = (next: string, wait: number): void => {
    window.clearTimeout(pause.current);
    pause.current = window.setTimeout(() => refine({ q: next.trim() }), wait);
  };
  const links = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>(".hit-title") ?? [])];
  const move = (step: number): void => {
    const all = links();
    const at = all.findIndex((link) => link.closest(".hit")?.contains(document.activeElement));
    if (at <= 0 && step < 0) box.current?.focus();
    else all[Math.min(all.length - 1, at + step)]?.focus();
  };
  useKeys(
    useMemo(
      () => [
        { key: "j", does: "Next hit", run: () => move(1) },
        { key: "k", does: "Previous hit", run: () => move(-1) },
        {
          key: "w",
          does: "Why is this here?",
          run: () => document.activeElement?.closest(".hit")?.querySelector<HTMLElement>(".hit-why")?.click(),
        },
      ],
      [],
    ),
  );

  return (
    <section class="view" data-view="search">
      <ViewHead title="Search" />
      <div class="view-body search">
        <div class="search-box">
          <Icon name="search" size={18} />
          <input
            ref={box}
            type="search"
            class="search-input"
            aria-label="Search all memories"
            placeholder="Ask in your own words, or name a file, an error, a decision"
            autocomplete="off"
            spellcheck={false}
            data-main="search"
            maxLength={2000}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              ask(event.currentTarget.value, PAUSE_MS);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") ask(text, 0);
              if (event.key === "ArrowDown" && links().length > 0) {
                event.preventDefault();
                links()[0]?.focus();
              }
              if (event.key === "Escape" && text !== "") {
                event.preventDefault();
                setText("");
                ask("", 0);
              }
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <SearchFilters fields={fields} projects={projects.map((one) => one.name)} />
        <p class="search-state" role="status">
          {asked === "" || found === undefined
            ? ""
            : `${many(found.items.length, "hit")} in ${(found.took_us / 1000).toFixed(1)} ms`}
          {found !== undefined && asked !== "" && !found.embedder ? (
            <span class="faint"> by words alone, no model answers</span>
          ) : null}
        </p>
        {asked === "" ? (
          <Start />
        ) : error !== undefined ? (
          <Trouble error={error} retry={retry} />
        ) : found === undefined ? (
          <Waiting rows={8} />
        ) : found.items.length === 0 ? (
          <Empty icon="search" title="Nothing fits">
            <p>
              Use other words{FILTERS.some((name) => fields.get(name)) ? ", or fewer filters" : ""}. Only what agents
              did or somebody told is kept.
            </p>
          </Empty>
        ) : (
          <ol
            ref={list}
            class={`hits ${busy ? "hits-busy" : ""}`}
            aria-label="Hits, best first"
            aria-busy={busy}
            onKeyDown={(event) => {
              if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
              event.preventDefault();
              move(event.key === "ArrowDown" ? 1 : -1);
            }}
          >
            {found.items.map((hit) => (
              <SearchHit key={hit.id} hit={hit} words={asked} best={found.items[0]?.score ?? hit.score} />
            ))}
          </ol>
        )}
        {found !== undefined && asked !== "" && found.items.length >= limit && limit < MOST ? (
          <button type="button" class="button search-more" onClick={() => setLimit(MOST)}>
            Show up to {MOST}
          </button>
        ) : null}
      </div>
    </section>
  );
}

function Start() {
  const asks = ["why did the tests fail", "what was decided about the database", "which files belong to the login"];
  return (
    <Empty icon="search" title="What do you want to know?">
      <p>Words and meaning both count. A hit says why it is one.</p>
      <ul class="search-asks">
        {asks.map((ask) => (
          <li key={ask}>
            <a class="chip" href={to("search", null, { q: ask })}>
              {ask}
            </a>
          </li>
        ))}
      </ul>
      <p>
        In a terminal: <Command>throughline search --explain</Command>
      </p>
    </Empty>
  );
}

function queryOf(fields: URLSearchParams, limit: number): Query {
  const query: Record<string, string | number | boolean | readonly string[]> = {
    q: fields.get("q") ?? "",
    limit,
    explain: true,
  };
  for (const name of FILTERS) {
    const value = fields.get(name);
    if (!value) continue;
    if (name === "kind") query["kind"] = value.split(",");
    else if (name === "since" || name === "until") query[name] = moment(value, name === "until");
    else query[name] = value;
  }
  return query;
}

interface Searching {
  found: Found | undefined;
  error: unknown;
  busy: boolean;
  retry: () => void;
}

/** Keeps the last hits on the page until the next ones are there: a list that vanishes at every letter cannot be read. */
function useSearch(query: Query | null): Searching {
  const key = query === null ? null : JSON.stringify(query);
  const [state, setState] = useState<{ found?: Found; error?: unknown; key: string | null }>({ key: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (query === null) {
      setState({ key });
      return undefined;
    }
    const ending = new AbortController();
    get<Found>("/search", query, ending.signal).then(
      (found) => setState({ found, key }),
      (error: unknown) => {
        if (!ending.signal.aborted) setState({ error, key });
      },
    );
    return () => ending.abort();
  }, [key, round]);
  return {
    found: key === null ? undefined : state.found,
    error: state.key === key ? state.error : undefined,
    busy: state.key !== key,
    retry: () => setRound((before) => before + 1),
  };
}
