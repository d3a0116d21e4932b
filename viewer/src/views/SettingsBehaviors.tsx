// The behaviors: what each does, what it costs, and its switch.

import { useState } from "preact/hooks";
import { explain, segment, send } from "../api";
import { Badge } from "../parts/Badge";
import { short } from "../parts/ChartScale";
import { Toggle } from "../parts/Field";
import { Prose } from "../parts/Prose";
import { count, many } from "../parts/Time";
import { say } from "../parts/Toast";
import { OriginBadge } from "./SettingsRow";

export interface Behavior {
  name: string;
  manual: string;
  on: boolean;
  origin?: string | null;
  place?: string | null;
  events: string[];
  latency?: { count: number; p50_us: number; p99_us: number } | null;
  failed: number;
  late: number;
  panicked: number;
}

/** Past this a person who waits for a prompt could notice. */
const SLOW_US = 100_000;

interface BehaviorListProps {
  behaviors: readonly Behavior[];
  changed: () => void;
}

export function BehaviorList({ behaviors, changed }: BehaviorListProps) {
  return (
    <ul class="setting-list">
      {behaviors.map((behavior) => (
        <BehaviorRow key={behavior.name} behavior={behavior} changed={changed} />
      ))}
    </ul>
  );
}

function BehaviorRow({ behavior, changed }: { behavior: Behavior; changed: () => void }) {
  const [wish, setWish] = useState<boolean | null>(null);
  const on = wish ?? behavior.on;
  const turn = async (next: boolean): Promise<void> => {
    setWish(next);
    try {
      await send("PUT", `/behaviors/${segment(behavior.name)}`, { on: next });
      say(`${behavior.name} is ${next ? "on" : "off"}`);
      changed();
    } catch (trouble) {
      say(explain(trouble), true);
    }
    setWish(null);
  };
  return (
    <li class="setting" data-id={behavior.name}>
      <div class="setting-words">
        <h3 class="setting-key">
          {behavior.name}
          {behavior.origin ? <OriginBadge origin={behavior.origin} place={behavior.place ?? null} /> : null}
        </h3>
        <p class="setting-manual">
          <Prose text={behavior.manual} />
        </p>
        <p class="setting-costs">
          <span>Hears {hears(behavior.events)}</span>
          <Costs behavior={behavior} />
        </p>
      </div>
      <div class="setting-control">
        <Toggle
          label={on ? "On" : "Off"}
          name={behavior.name}
          on={on}
          disabled={wish !== null}
          change={(next) => void turn(next)}
        />
      </div>
    </li>
  );
}

function Costs({ behavior }: { behavior: Behavior }) {
  const { latency, failed, late, panicked } = behavior;
  const trouble = [
    [failed, "failed"],
    [late, "late"],
    [panicked, "panicked"],
  ] as const;
  return (
    <>
      {latency && latency.count > 0 ? (
        <span>
          {many(latency.count, "call")}, half within {short(latency.p50_us, "us")}, 99 of 100 within{" "}
          {short(latency.p99_us, "us")}
        </span>
      ) : (
        <span>not asked yet</span>
      )}
      {trouble
        .filter(([times]) => times > 0)
        .map(([times, what]) => (
          <Badge key={what} tone={what === "panicked" ? "bad" : "warn"}>
            {count(times)} {what}
          </Badge>
        ))}
    </>
  );
}

function hears(events: readonly string[]): string {
  return events.length > 4
    ? `${events.slice(0, 3).join(", ")} and ${events.length - 3} more`
    : events.join(", ") || "every event";
}

/** The same numbers as a table, slowest first. */
export function BehaviorTimes({ behaviors }: { behaviors: readonly Behavior[] }) {
  const asked = behaviors.filter((one) => (one.latency?.count ?? 0) > 0);
  if (asked.length === 0) return null;
  const rows = [...asked].sort((left, right) => (right.latency?.p99_us ?? 0) - (left.latency?.p99_us ?? 0));
  return (
    <section class="panel" aria-label="Behaviors since the daemon started">
      <h2 class="panel-title">Behaviors since the daemon started</h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Behaviors, as a table">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Behavior</th>
              <th scope="col" class="number">
                Calls
              </th>
              <th scope="col" class="number">
                p50
              </th>
              <th scope="col" class="number">
                p99
              </th>
              <th scope="col" class="number">
                Failed
              </th>
              <th scope="col" class="number">
                Late
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.name}>
                <th scope="row">{one.name}</th>
                <td class="number">{count(one.latency?.count ?? 0)}</td>
                <td class="number">{short(one.latency?.p50_us ?? 0, "us")}</td>
                <td class={`number ${(one.latency?.p99_us ?? 0) > SLOW_US ? "text-warn" : ""}`}>
                  {short(one.latency?.p99_us ?? 0, "us")}
                </td>
                <td class="number">{count(one.failed + one.panicked)}</td>
                <td class="number">{count(one.late)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
