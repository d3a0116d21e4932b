// One session at work: who, on which branch, for what, and the files it holds.

import { useState } from "preact/hooks";
import { explain, send } from "../api";
import { workState } from "../atWork";
import { to } from "../router";
import { now } from "../state";
import type { Claim, Session } from "../types";
import { Badge, Pulse, agentLabel, shortId } from "../parts/Badge";
import { linesOf } from "../parts/Lines";
import { Ago, many } from "../parts/Time";
import { say } from "../parts/Toast";

interface NowSessionProps {
  session: Session;
  root: string;
  claims: readonly Claim[];
  contested: readonly string[];
  changed: () => void;
}

export function NowSession({ session, root, claims, contested, changed }: NowSessionProps) {
  const [busy, setBusy] = useState(false);
  const state = workState(session.live, session.last_seen_at, now.value);
  const goal = claims.find((claim) => claim.goal)?.goal ?? session.first_prompt ?? session.summary ?? "";
  const release = async (files: readonly string[]): Promise<void> => {
    setBusy(true);
    try {
      await send("POST", "/claims/release", { session: session.id, files });
      say(`${many(files.length, "file")} given back`);
    } catch (trouble) {
      say(explain(trouble), true);
    }
    setBusy(false);
    changed();
  };
  return (
    <li class="worker" data-id={session.id}>
      <header class="worker-head">
        {state === "at work" ? <Pulse label={state} /> : <span class="live-still" role="img" aria-label={state} />}
        <a class="worker-name" href={to("sessions", session.id)}>
          {agentLabel(session.agent)} <span class="mono faint">{shortId(session.id)}</span>
        </a>
        {session.branch ? <Badge>{session.branch}</Badge> : null}
        <span class="grow" />
        <span class="faint worker-seen">
          seen <Ago at={session.last_seen_at} />
        </span>
      </header>
      {goal ? <p class="worker-goal">{goal}</p> : <p class="faint">No prompt yet</p>}
      <p class="worker-facts faint">
        <span>
          started <Ago at={session.started_at} />
        </span>
        {session.prompts > 0 ? <span>{many(session.prompts, "prompt")}</span> : null}
        {session.tools > 0 ? <span>{many(session.tools, "tool call")}</span> : null}
        {session.model ? <span>{session.model}</span> : null}
      </p>
      {claims.length > 0 ? (
        <div class="worker-claims">
          <div class="worker-claims-head">
            <h3>Holds {many(claims.length, "file")}</h3>
            {claims.length > 1 ? (
              <button
                type="button"
                class="button button-small button-plain"
                disabled={busy}
                onClick={() => void release(claims.map((claim) => claim.path))}
              >
                Release all
              </button>
            ) : null}
          </div>
          <ul>
            {claims.map((claim) => (
              <li key={claim.path} class="claim">
                <code class="claim-path" title={claim.path}>
                  {inside(claim.path, root)}
                </code>
                {linesOf(claim) !== "" ? <span class="faint claim-lines">{linesOf(claim)}</span> : null}
                {contested.includes(claim.path) ? <Badge tone="warn">contested</Badge> : null}
                <span class="faint claim-at">
                  <Ago at={claim.last_at} />
                </span>
                <button
                  type="button"
                  class="button button-small"
                  disabled={busy}
                  aria-label={`Release ${inside(claim.path, root)}`}
                  onClick={() => void release([claim.path])}
                >
                  Release
                </button>
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <p class="faint worker-none">Holds no file</p>
      )}
    </li>
  );
}

function inside(path: string, root: string): string {
  return root !== "" && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
