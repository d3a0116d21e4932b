// Where in a file somebody works, in a few words.

import type { Claim } from "../types";

/** Places that are named; the rest is a number. */
const SHOWN = 4;

export function linesOf(claim: Claim): string {
  const places = claim.lines ?? [];
  const first = places[0];
  if (first === undefined) return "";
  const named = places.slice(0, SHOWN).map(([from, to]) => (from === to ? String(from) : `${from}–${to}`));
  const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : "";
  const word = places.length === 1 && first[0] === first[1] ? "line" : "lines";
  return `${word} ${named.join(", ")}${more}`;
}
