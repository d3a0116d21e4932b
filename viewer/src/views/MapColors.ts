// What the colors of the map mean: how lately a file was touched, or by whom.

import type { Session } from "../types";
import { agentLabel, shortId } from "../parts/Badge";
import type { Place } from "../parts/TreemapLayout";

export interface LegendEntry {
  class: string;
  label: string;
}

export interface Scheme {
  /** The class of a place. */
  color: (place: Place) => string;
  legend: LegendEntry[];
}

const HOUR = 3_600_000;

/** Newest first; the last one has no end. */
const AGES: readonly { until: number; label: string }[] = [
  { until: HOUR, label: "the last hour" },
  { until: 24 * HOUR, label: "today" },
  { until: 7 * 24 * HOUR, label: "this week" },
  { until: 30 * 24 * HOUR, label: "this month" },
  { until: Number.POSITIVE_INFINITY, label: "longer ago" },
];

export function ages(now: number): Scheme {
  return {
    color: (place) => `heat-${AGES.findIndex((age) => now - place.lastAt < age.until) + 1}`,
    legend: AGES.map((age, index) => ({ class: `heat-${index + 1}`, label: age.label })),
  };
}

/** As many as can be told apart. */
const MOST = 6;

/** The sessions in most files have a color each; a file of several has that of the one in most of them. */
export function people(root: Place, sessions: readonly Session[]): Scheme {
  const files = new Map<string, number>();
  const walk = (place: Place): void => {
    if (place.children.length === 0) for (const id of place.sessions) files.set(id, (files.get(id) ?? 0) + 1);
    place.children.forEach(walk);
  };
  walk(root);
  const busiest = [...files].sort((left, right) => right[1] - left[1]).slice(0, MOST);
  const tones = new Map(busiest.map(([id], index) => [id, `who-${index + 1}`]));
  const label = (id: string): string => {
    const session = sessions.find((one) => one.id === id);
    return session ? `${agentLabel(session.agent)} ${shortId(id)}` : shortId(id);
  };
  const legend = busiest.map(([id], index) => ({ class: `who-${index + 1}`, label: label(id) }));
  if (files.size > MOST) legend.push({ class: "who-other", label: "others" });
  return {
    color: (place) => [...tones].find(([id]) => place.sessions.has(id))?.[1] ?? "who-other",
    legend,
  };
}
