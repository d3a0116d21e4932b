// One hit: what it is, when and where it comes from, the words that fit, and on request why it is where it is.

import { useId, useMemo, useState } from "preact/hooks";
import { to } from "../router";
import { Badge } from "../parts/Badge";
import { Explain } from "../parts/Explain";
import { KindBadge } from "../parts/Kind";
import { Ago, many } from "../parts/Time";
import type { Hit } from "./Search";

export const ORIGINS: Record<string, string> = {
  person: "said by a person",
  work: "seen at work",
  outside: "words from outside",
};

export function SearchHit({ hit, words, best }: { hit: Hit; words: string; best: number }) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const share = best > 0 ? Math.max(0, Math.min(1, hit.score / best)) : 0;
  return (
    <li class="hit" data-id={hit.id}>
      <div class="hit-head">
        <a class="hit-title" href={to("memories", hit.id)}>
          <Marked text={hit.title} words={words} />
        </a>
        <svg
          class="hit-score"
          viewBox="0 0 40 4"
          role="img"
          aria-label={`${Math.round(share * 100)} % of the best score`}
        >
          <rect class="explain-track" width={40} height={4} rx={2} />
          <rect class="explain-gain" width={40 * share} height={4} rx={2} />
        </svg>
      </div>
      {hit.snippet ? (
        <p class="hit-snippet">
          <Marked text={hit.snippet} words={words} />
        </p>
      ) : null}
      <div class="hit-foot">
        <KindBadge kind={hit.kind} />
        {hit.at > 0 ? <Ago at={hit.at} /> : null}
        {hit.project ? <span>{hit.project}</span> : null}
        <span>{many(hit.tokens, "token")}</span>
        {hit.origin ? (
          hit.origin === "outside" ? (
            <Badge tone="warn">{ORIGINS["outside"]}</Badge>
          ) : (
            <span>{ORIGINS[hit.origin] ?? hit.origin}</span>
          )
        ) : null}
        {hit.same.length > 0 ? (
          <span>
            and {many(hit.same.length, "more", "more")} of the same turn or in the same words
          </span>
        ) : null}
        {hit.why && hit.why.length > 0 ? (
          <button
            type="button"
            class="hit-why"
            aria-expanded={open}
            aria-controls={details}
            onClick={() => setOpen(!open)}
          >
            Why is this here?
          </button>
        ) : null}
      </div>
      <div id={details} hidden={!open}>
        {open && hit.why ? <Explain why={hit.why} score={hit.score} /> : null}
      </div>
    </li>
  );
}

/** Shorter words are in every text, and so are these. */
const SHORTEST = 3;
const EVERYWHERE = new Set(
  "and any are but can did does for from had has have how its not the that this was what when where which who why will with".split(
    " ",
  ),
);

/** The text, with the words that were asked for marked: text nodes and nothing else. */
export function Marked({ text, words }: { text: string; words: string }) {
  const parts = useMemo(() => split(text, words), [text, words]);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</>;
}

const WORD = /([\p{L}\p{N}_]+)/u;

/** Every second part is a word that begins like one that was asked for. */
function split(text: string, words: string): string[] {
  const wanted = words
    .toLowerCase()
    .split(WORD)
    .filter((word) => word.length >= SHORTEST && WORD.test(word) && !EVERYWHERE.has(word));
  if (wanted.length === 0) return [text];
  const parts = [""];
  text.split(WORD).forEach((part, index) => {
    const lower = part.toLowerCase();
    if (index % 2 === 1 && wanted.some((word) => lower.startsWith(word))) parts.push(part, "");
    else parts[parts.length - 1] += part;
  });
  return parts;
}
