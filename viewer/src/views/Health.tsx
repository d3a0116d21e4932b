// Whether all is well, and if not, the command that repairs it. The page runs none of them.

import { useEffect } from "preact/hooks";
import { useAnswer } from "../state";
import { Badge, type Tone } from "../parts/Badge";
import { CopyCommand } from "../parts/CopyCommand";
import { Trouble, Waiting } from "../parts/Empty";
import { Fact } from "../parts/Field";
import { Icon } from "../parts/Kind";
import { ViewHead } from "../parts/Layout";
import { Ago, count, many, span } from "../parts/Time";
import { HealthLog } from "./HealthLog";

type State = "ok" | "warn" | "fail";

interface Finding {
  check: string;
  state: State;
  what: string;
  repair?: string | null;
}

interface Fault {
  what: string;
  repair?: string | null;
  since?: number | null;
}

interface Report {
  state: State;
  version: string;
  findings: Finding[];
  /** When the checks were made; null while they are made for the first time. */
  checked_at?: number | null;
  faults?: Fault[] | null;
}

interface Status {
  pid?: number;
  version?: string;
  namespace?: string | null;
  port?: number | null;
  socket?: string | null;
  started_at?: number;
  journal_head?: number;
  learned?: number;
  /** What compares meanings, and how many memories it has not seen yet. */
  embedding?: { model?: string | null; loaded?: boolean; paused?: boolean; memories?: number | null; waiting?: number | null; seconds_left?: number | null; trouble?: string | null } | null;
  distill?: { provider?: string | null; waiting?: number } | null;
}

const TONES: Record<State, Tone> = { ok: "good", warn: "warn", fail: "bad" };
const WORDS: Record<State, string> = { ok: "fine", warn: "look at it", fail: "broken" };
/** The first checks take a second or two. */
const AGAIN_MS = 1_000;

const ORDER: Record<State, number> = { fail: 0, warn: 1, ok: 2 };

export function Health() {
  const health = useAnswer<Report>("/health");
  const status = useAnswer<Status>("/status");
  const report = health.data;
  const isChecking = report !== undefined && report.findings.length === 0;
  useEffect(() => {
    if (!isChecking) return undefined;
    const timer = window.setInterval(health.reload, AGAIN_MS);
    return () => window.clearInterval(timer);
  }, [isChecking]);
  const findings = [...(report?.findings ?? [])].sort((left, right) => ORDER[left.state] - ORDER[right.state]);
  const faults = report?.faults ?? [];
  const bad = findings.filter((one) => one.state !== "ok").length + faults.length;
  return (
    <section class="view" data-view="health">
      <ViewHead title="Health">
        <button
          type="button"
          class="button"
          onClick={() => {
            health.reload();
            status.reload();
          }}
        >
          Look again
        </button>
      </ViewHead>
      <div class="view-body health">
        {health.error !== undefined && report === undefined ? (
          <Trouble error={health.error} retry={health.reload} />
        ) : report === undefined || isChecking ? (
          <Waiting rows={6} />
        ) : (
          <>
            <div class={`health-sum health-${report.state}`} role="status">
              <Icon name={report.state === "ok" && bad === 0 ? "check" : "failure"} size={20} />
              <div>
                <p class="health-word">
                  {bad === 0 ? "All is well" : many(bad, "thing needs a look", "things need a look")}
                </p>
                <p class="health-note">
                  {many(findings.length, "check")}
                  {report.checked_at ? (
                    <>
                      , made <Ago at={report.checked_at} />
                    </>
                  ) : null}
                  ; the same in a terminal:
                </p>
              </div>
              <CopyCommand command="throughline doctor" />
            </div>
            {faults.length > 0 ? (
              <section aria-label="Faults">
                <h2 class="section-title">Faults now</h2>
                <ul class="findings">
                  {faults.map((fault, index) => (
                    <li key={index} class="finding">
                      <Badge tone="bad">fault</Badge>
                      <div class="finding-words">
                        <p>{fault.what}</p>
                        {fault.since ? (
                          <p class="faint">
                            began <Ago at={fault.since} />
                          </p>
                        ) : null}
                        {fault.repair ? <CopyCommand command={fault.repair} /> : null}
                      </div>
                    </li>
                  ))}
                </ul>
              </section>
            ) : null}
            <div class="health-columns">
              <section aria-label="Checks">
                <h2 class="section-title">Checks</h2>
                <ul class="findings">
                  {findings.map((finding, index) => (
                    <li key={index} class="finding" data-id={finding.check}>
                      <Badge tone={TONES[finding.state] ?? "quiet"}>{WORDS[finding.state] ?? finding.state}</Badge>
                      <div class="finding-words">
                        <p>
                          <strong>{finding.check}</strong> <span class="muted">{finding.what}</span>
                        </p>
                        {finding.repair ? <CopyCommand command={finding.repair} /> : null}
                      </div>
                    </li>
                  ))}
                </ul>
              </section>
              <DaemonFacts status={status.data} version={report.version} />
            </div>
          </>
        )}
        <HealthLog />
      </div>
    </section>
  );
}

function readiness({ loaded, paused, memories, waiting, seconds_left, trouble }: NonNullable<Status["embedding"]>): string {
  if (trouble) return trouble;
  const share = waiting && memories ? `, ${Math.floor((100 * (memories - waiting)) / memories)} % done` : "";
  const left = waiting && seconds_left ? `, about ${span(seconds_left * 1000)} left` : "";
  const rest = waiting ? `${count(waiting)} memories wait for it${share}${left}` : "knows every memory";
  if (paused) return `paused, ${rest}`;
  return loaded ? `loaded, ${rest}` : `loads when it is needed, ${rest}`;
}

function DaemonFacts({ status, version }: { status: Status | undefined; version: string }) {
  const behind = Math.max(0, (status?.journal_head ?? 0) - (status?.learned ?? 0));
  return (
    <section class="panel health-facts" aria-label="The daemon">
      <header class="panel-head">The daemon</header>
      <dl class="facts panel-body">
        <Fact name="Version">{status?.version ?? version}</Fact>
        {status?.started_at ? <Fact name="Up for">{span(Date.now() - status.started_at)}</Fact> : null}
        {status?.pid ? <Fact name="Process">{status.pid}</Fact> : null}
        {status?.port ? <Fact name="Port">{status.port}</Fact> : null}
        {status?.namespace ? <Fact name="Namespace">{status.namespace}</Fact> : null}
        {status?.journal_head !== undefined ? (
          <Fact name="Journal">
            {many(status.journal_head, "entry", "entries")}
            <span class="faint"> · {behind === 0 ? "all learned" : `${count(behind)} still to learn`}</span>
          </Fact>
        ) : null}
        {status?.embedding?.model ? (
          <Fact name="Search model">
            {status.embedding.model}
            <span class="faint"> · {readiness(status.embedding)}</span>
          </Fact>
        ) : null}
        {status?.distill?.provider ? <Fact name="Distilling">{status.distill.provider}</Fact> : null}
        {status?.socket ? (
          <Fact name="Socket">
            <code>{status.socket}</code>
          </Fact>
        ) : null}
      </dl>
    </section>
  );
}
