// Who is at work right now, on what, and who holds which file. Two sessions with one file come first.

import { useMemo } from "preact/hooks";
import { useAnswer } from "../state";
import type { Claim, Page, Session } from "../types";
import { Command, Empty, Trouble, Waiting } from "../parts/Empty";
import { ViewHead } from "../parts/Layout";
import { many } from "../parts/Time";
import { Conflicts, type Conflict } from "./NowConflicts";
import { NowSession } from "./NowSession";

/** More at once are not looked at one by one. */
const MOST = 200;

interface Crew {
  key: string;
  name: string;
  root: string;
  sessions: Session[];
}

export function Now() {
  const sessions = useAnswer<Page<Session>>("/sessions", { live: true, limit: MOST }, ["session", "event"]);
  const claims = useAnswer<Page<Claim>>("/claims", { live: true, limit: MOST }, ["change", "event"]);
  const live = sessions.data?.items ?? [];
  const held = (claims.data?.items ?? []).filter((claim) => claim.live !== false);
  const crews = useMemo(() => crewsOf(live, held), [sessions.data, claims.data]);
  const conflicts = useMemo(() => conflictsOf(held), [claims.data]);
  const reload = (): void => {
    claims.reload();
    sessions.reload();
  };
  return (
    <section class="view" data-view="now">
      <ViewHead
        title="Now"
        note={
          sessions.data === undefined ? null : (
            <span role="status">
              {many(live.length, "open session")}, {many(held.length, "file")} held
            </span>
          )
        }
      />
      <div class="view-body now">
        {sessions.error !== undefined && sessions.data === undefined ? (
          <Trouble error={sessions.error} retry={reload} />
        ) : sessions.data === undefined ? (
          <Waiting rows={6} />
        ) : crews.length === 0 ? (
          <Empty icon="now" title="Nobody is at work">
            <p>A session is shown here from its start to its end, with the files it edits.</p>
            <p>
              Agents come in through their hooks: <Command>throughline install</Command>
            </p>
          </Empty>
        ) : (
          <>
            <Conflicts conflicts={conflicts} sessions={live} />
            {crews.map((crew) => (
              <section key={crew.key} class="crew" aria-label={crew.name}>
                <header class="crew-head">
                  <h2>{crew.name}</h2>
                  <span class="faint mono cut" title={crew.root}>
                    {crew.root}
                  </span>
                </header>
                <ul class="crew-list">
                  {crew.sessions.map((session) => (
                    <NowSession
                      key={session.id}
                      session={session}
                      root={crew.root}
                      claims={held.filter((claim) => claim.session === session.id)}
                      contested={conflicts.map((one) => one.path)}
                      changed={reload}
                    />
                  ))}
                </ul>
              </section>
            ))}
          </>
        )}
        {claims.error !== undefined && sessions.data !== undefined ? (
          <Trouble error={claims.error} retry={claims.reload} />
        ) : null}
      </div>
    </section>
  );
}

/** Sessions by workspace: those that hold files, then those seen last. One that holds files without being told live is at work, too. */
function crewsOf(live: readonly Session[], held: readonly Claim[]): Crew[] {
  const crews = new Map<string, Crew>();
  const known = new Set(live.map((session) => session.id));
  const strangers = held.filter((claim) => !known.has(claim.session)).map(strangerOf);
  const all = [...live, ...new Map(strangers.map((one) => [one.id, one])).values()];
  for (const session of all) {
    const root = session.cwd ?? "";
    const key = session.workspace ?? (root || "?");
    const crew = crews.get(key) ?? { key, name: session.project ?? (root || "Elsewhere"), root, sessions: [] };
    if (root.length > 0 && (crew.root === "" || root.length < crew.root.length)) crew.root = root;
    crew.sessions.push(session);
    crews.set(key, crew);
  }
  const holders = new Set(held.map((claim) => claim.session));
  const holds = (session: Session): number => Number(holders.has(session.id));
  for (const crew of crews.values()) {
    crew.sessions.sort((left, right) => holds(right) - holds(left) || right.last_seen_at - left.last_seen_at);
  }
  return [...crews.values()];
}

function strangerOf(claim: Claim): Session {
  return {
    id: claim.session,
    agent: claim.agent,
    project: claim.project ?? null,
    branch: claim.branch ?? null,
    started_at: claim.since_at,
    last_seen_at: claim.seen_at,
    prompts: 0,
    events: 0,
    tools: 0,
    live: true,
    injected_tokens: 0,
  };
}

function conflictsOf(held: readonly Claim[]): Conflict[] {
  const byPath = new Map<string, Claim[]>();
  for (const claim of held) byPath.set(claim.path, [...(byPath.get(claim.path) ?? []), claim]);
  return [...byPath]
    .filter(([, claims]) => new Set(claims.map((claim) => claim.session)).size > 1)
    .map(([path, claims]) => ({ path, claims }));
}
