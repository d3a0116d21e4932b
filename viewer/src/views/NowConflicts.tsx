// Files that more than one session wants: the one thing here that somebody may have to do something about.

import { to } from "../router";
import type { Claim, Session } from "../types";
import { agentLabel, shortId } from "../parts/Badge";
import { Icon } from "../parts/Kind";
import { linesOf } from "../parts/Lines";
import { Ago } from "../parts/Time";

export interface Conflict {
  path: string;
  claims: Claim[];
}

export function Conflicts({ conflicts, sessions }: { conflicts: readonly Conflict[]; sessions: readonly Session[] }) {
  if (conflicts.length === 0) return null;
  return (
    <section class="conflicts" aria-label="Files in more than one hand">
      <h2>
        <Icon name="failure" />
        {conflicts.length === 1
          ? "One file is in more than one hand"
          : `${conflicts.length} files are in more than one hand`}
      </h2>
      <ul>
        {conflicts.map((conflict) => (
          <li key={conflict.path}>
            <code>{conflict.path}</code>
            <ul>
              {conflict.claims.map((claim) => (
                <li key={claim.session}>
                  <a class="link" href={to("sessions", claim.session)}>
                    {agentLabel(claim.agent)} {shortId(claim.session)}
                  </a>{" "}
                  took it <Ago at={claim.since_at} />
                  {linesOf(claim) !== "" ? <span>, {linesOf(claim)}</span> : null}
                  {goal(claim, sessions) ? <span class="muted"> for: {goal(claim, sessions)}</span> : null}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function goal(claim: Claim, sessions: readonly Session[]): string {
  return claim.goal ?? sessions.find((session) => session.id === claim.session)?.first_prompt ?? "";
}
