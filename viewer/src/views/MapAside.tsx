// What the picture of a workspace says, in words and as a table.

import { to } from "../router";
import type { Session } from "../types";
import { agentLabel, shortId } from "../parts/Badge";
import { Fact } from "../parts/Field";
import { Ago, count, many } from "../parts/Time";
import { type Place, weight } from "../parts/TreemapLayout";
import type { LegendEntry } from "./MapColors";

/** Rows of the table; the picture has the rest, and folders can be gone into. */
const MOST_ROWS = 60;
const MOST_SESSIONS = 5;

interface MapAsideProps {
  shown: Place;
  picked: Place | null;
  sessions: readonly Session[];
  open: (place: Place) => void;
  remembered: (file: string) => void;
}

export function MapAside({ shown, picked, sessions, open, remembered }: MapAsideProps) {
  const place = picked ?? shown;
  return (
    <aside class="map-aside" aria-label="Details">
      <section class="panel map-details">
        <header class="panel-head">
          <h2 class={place.path === "" ? undefined : "map-path"}>{place.path === "" ? "The whole workspace" : place.path}</h2>
        </header>
        <dl class="facts panel-body">
          <Fact name="Read">{many(place.reads, "time")}</Fact>
          <Fact name="Edited">{many(place.edits, "time")}</Fact>
          <Fact name="Last">
            <Ago at={place.lastAt} />
          </Fact>
          {place.claims > 0 ? (
            <Fact name="Held">{place.children.length > 0 ? many(place.claims, "file") : "by a session at work"}</Fact>
          ) : null}
          <Fact name="By">
            <Sessions ids={[...place.sessions]} sessions={sessions} />
          </Fact>
        </dl>
        {place.children.length === 0 && !place.closed ? (
          <div class="map-more">
            <button type="button" class="button button-small" onClick={() => remembered(place.path)}>
              What is remembered of it
            </button>
          </div>
        ) : null}
      </section>
      <div class="table-scroll map-table" tabIndex={0} role="region" aria-label="Places in this folder, as a table">
        <table class="table">
          <caption class="hidden">Places in this folder, touched most first</caption>
          <thead>
            <tr>
              <th scope="col">Place</th>
              <th scope="col" class="number">
                Reads
              </th>
              <th scope="col" class="number">
                Edits
              </th>
              <th scope="col">Last</th>
            </tr>
          </thead>
          <tbody>
            {shown.children.slice(0, MOST_ROWS).map((child) => (
              <tr key={child.path} class={child.path === picked?.path ? "row-picked" : ""}>
                <th scope="row">
                  <button type="button" class="map-open" title={child.path} onClick={() => open(child)}>
                    {child.children.length > 0 || child.closed ? `${child.name}/` : child.name}
                  </button>
                </th>
                <td class="number">{count(child.reads)}</td>
                <td class="number">{count(child.edits)}</td>
                <td>
                  <Ago at={child.lastAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {shown.children.length > MOST_ROWS ? (
          <p class="faint map-rest">
            and {count(shown.children.length - MOST_ROWS)} more with{" "}
            {count(shown.children.slice(MOST_ROWS).reduce((sum, one) => sum + weight(one), 0))} touches
          </p>
        ) : null}
      </div>
    </aside>
  );
}

function Sessions({ ids, sessions }: { ids: readonly string[]; sessions: readonly Session[] }) {
  if (ids.length === 0) return <>not known</>;
  return (
    <ul class="map-sessions">
      {ids.slice(0, MOST_SESSIONS).map((id) => {
        const session = sessions.find((one) => one.id === id);
        return (
          <li key={id}>
            <a class="link" href={to("sessions", id)}>
              {session ? `${agentLabel(session.agent)} ` : ""}
              <span class="mono">{shortId(id)}</span>
            </a>
          </li>
        );
      })}
      {ids.length > MOST_SESSIONS ? <li class="faint">and {ids.length - MOST_SESSIONS} more</li> : null}
    </ul>
  );
}

export function MapLegend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul class="map-legend" aria-label="Colors">
      {entries.map((entry) => (
        <li key={entry.label}>
          <svg width={12} height={12} aria-hidden="true">
            <rect class={entry.class} width={12} height={12} rx={3} />
          </svg>
          {entry.label}
        </li>
      ))}
      <li>
        <svg width={12} height={12} aria-hidden="true">
          <circle class="treemap-claim" cx={6} cy={6} r={3.5} />
        </svg>
        held now
      </li>
    </ul>
  );
}
