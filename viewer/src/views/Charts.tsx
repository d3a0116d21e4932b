// What it costs and what it is worth, over time. Every number comes from the daemon; nothing is smoothed or guessed.

import { useMemo } from "preact/hooks";
import { place, refine } from "../router";
import { useAnswer } from "../state";
import type { Page } from "../types";
import { Chart } from "../parts/Chart";
import type { ChartSeries } from "../parts/ChartDrawing";
import { short } from "../parts/ChartScale";
import { Trouble, Waiting } from "../parts/Empty";
import { ViewHead } from "../parts/Layout";
import { Segments } from "../parts/Segments";
import { count } from "../parts/Time";
import { BehaviorTimes, type Behavior } from "./SettingsBehaviors";

interface Series {
  name: string;
  unit: string;
  points: [number, number][];
}

interface SeriesAnswer {
  series: Series[];
}

interface Range {
  value: string;
  label: string;
  hours: number;
  step: "hour" | "day";
  /** Steps of the answer that one column stands for; what is counted can be added up. */
  joins: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const RANGES: readonly Range[] = [
  { value: "24h", label: "24 h", hours: 24, step: "hour", joins: 1 },
  { value: "7d", label: "7 days", hours: 7 * 24, step: "hour", joins: 6 },
  { value: "30d", label: "30 days", hours: 30 * 24, step: "day", joins: 1 },
  { value: "90d", label: "90 days", hours: 90 * 24, step: "day", joins: 1 },
];
const USUAL = RANGES[1] as Range;

/** As many as there are colors; what is rarer is added up. */
const MOST_SERIES = 8;
/** Behaviors whose time is drawn: the busiest. */
const DRAWN_BEHAVIORS = 6;

const COUNTS = ["tokens-injected", "tokens-saved", "memories.*", "events"];

const WORTH =
  "Told is what agents were given to read. The work behind it is what it had cost to find that out. Where there was more " +
  "work, telling saves the difference at most: nobody knows whether all of it would have been done again.";
const TIMES =
  "of the calls, while an agent waited, were faster than this; right to a factor of two. No line: nothing was measured.";

export function Charts() {
  const named = place.value.query.get("range");
  const range = RANGES.find((one) => one.value === named) ?? USUAL;
  const percentile = place.value.query.get("percentile") === "p50" ? "p50" : "p99";
  const size = range.step === "hour" ? HOUR : DAY;
  // The end falls on a full step, so that the same question is asked until something can have changed.
  const until = Math.ceil(Date.now() / size) * size;
  const from = until - range.hours * HOUR;
  const behaviors = useAnswer<Page<Behavior>>("/behaviors");
  const busiest = useMemo(() => busy(behaviors.data?.items ?? []), [behaviors.data]);
  const names = [...COUNTS, ...busiest.flatMap((one) => [`latency.${one}.p50`, `latency.${one}.p99`])];
  const isReady = behaviors.data !== undefined || behaviors.error !== undefined;
  const answer = useAnswer<SeriesAnswer>(isReady ? "/stats/series" : null, {
    names,
    since: from,
    until,
    step: range.step,
  });
  // Redactions are counted by the day alone.
  const tomorrow = Math.ceil(Date.now() / DAY) * DAY;
  const days = { from: tomorrow - Math.max(7 * DAY, range.hours * HOUR), until: tomorrow, step: DAY };
  const redacted = useAnswer<SeriesAnswer>("/stats/series", {
    names: ["redactions.*"],
    since: days.from,
    until: days.until,
    step: "day",
  });
  const series = useMemo(
    () => sorted(joined(answer.data?.series ?? [], size, range.joins), busiest, percentile),
    [answer.data, busiest, percentile, range],
  );
  const redactions = useMemo(() => largest(redacted.data?.series ?? [], "redactions"), [redacted.data]);
  const frame = { from, until, step: size * range.joins };

  return (
    <section class="view" data-view="charts">
      <ViewHead title="Charts">
        <Segments label="Range" value={range.value} choices={RANGES} change={(value) => refine({ range: value })} />
      </ViewHead>
      <div class="view-body">
        {answer.error !== undefined && answer.data === undefined ? (
          <Trouble error={answer.error} retry={answer.reload} />
        ) : answer.data === undefined ? (
          <Waiting rows={8} />
        ) : (
          <div class="charts">
            <Totals tokens={series.tokens} memories={series.memories} redactions={redactions} events={series.events} />
            <div class="charts-grid">
              <Chart
                {...frame}
                title="Tokens told, and the work behind them"
                meaning={WORTH}
                unit="tokens"
                shape="lines"
                series={series.tokens}
                empty="Nothing was told in this time."
              />
              <Chart
                {...frame}
                title="Memories by kind"
                meaning="What was kept, by what it is."
                unit="memories"
                shape="columns"
                series={series.memories}
                empty="Nothing was kept in this time."
              />
              <Chart
                {...frame}
                title="Events"
                meaning="What agents reported: each is in the journal before it is answered."
                unit="events"
                shape="columns"
                series={series.events}
                empty="No agent reported anything in this time."
              />
              <Chart
                {...days}
                title="Redactions by kind"
                meaning="Secrets that were taken out before anything was written, by the day."
                unit="redactions"
                shape="columns"
                series={redactions}
                empty="No secret was met in this time."
              />
              <div class="charts-wide">
                <Chart
                  {...frame}
                  title="Time per behavior"
                  meaning={`${percentile === "p50" ? "Half" : "99 of 100"} ${TIMES}`}
                  unit="us"
                  step={size}
                  shape="lines"
                  gaps
                  series={series.latency}
                  empty="No behavior was asked in this time."
                  controls={
                    <Segments
                      label="Percentile"
                      value={percentile}
                      choices={[
                        { value: "p50", label: "p50" },
                        { value: "p99", label: "p99" },
                      ]}
                      change={(value) => refine({ percentile: value })}
                    />
                  }
                />
              </div>
            </div>
            <BehaviorTimes behaviors={behaviors.data?.items ?? []} />
          </div>
        )}
      </div>
    </section>
  );
}

interface TotalsProps {
  tokens: readonly ChartSeries[];
  memories: readonly ChartSeries[];
  redactions: readonly ChartSeries[];
  events: readonly ChartSeries[];
}

function Totals({ tokens, memories, redactions, events }: TotalsProps) {
  const told = total(tokens.filter((one) => one.name === TOLD));
  const work = total(tokens.filter((one) => one.name === WORK));
  const facts: [string, string, string][] = [
    ["Tokens told", short(told, ""), count(told)],
    ["Tokens of work behind", short(work, ""), count(work)],
    ["Tokens saved, at most", work > told ? short(work - told, "") : "none yet", saving(told, work)],
    ["Memories kept", short(total(memories), ""), count(total(memories))],
    ["Events", short(total(events.filter((one) => one.name === "events")), ""), ""],
    ["Redactions", short(total(redactions), ""), count(total(redactions))],
  ];
  return (
    <dl class="totals">
      {facts.map(([name, value, exact]) => (
        <div key={name} class="total">
          <dt>{name}</dt>
          <dd title={exact || undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function saving(told: number, work: number): string {
  if (work > told) return `${count(work - told)}: for every token told there were ${(work / told).toFixed(1)} of work`;
  if (told === 0) return "Nothing was told";
  return "What was told cost as much to read as the work behind it, or more. It pays when it is told again.";
}

function total(series: readonly ChartSeries[]): number {
  return series.reduce((sum, one) => sum + one.points.reduce((inner, [, value]) => inner + value, 0), 0);
}

function busy(behaviors: readonly Behavior[]): string[] {
  return behaviors
    .filter((one) => (one.latency?.count ?? 0) > 0)
    .sort((left, right) => (right.latency?.count ?? 0) - (left.latency?.count ?? 0))
    .slice(0, DRAWN_BEHAVIORS)
    .map((one) => one.name)
    .sort();
}

const TOLD = "tokens-injected";
/** What was saved and what was told, together: never less than nothing, unlike what was saved. */
const WORK = "tokens-work";
const TOKENS: Record<string, [string, number]> = { [TOLD]: ["Told", 1], [WORK]: ["Work behind it", 3] };
const EVENTS: Record<string, [string, number]> = { events: ["Events", 1] };

function sorted(given: readonly Series[], busiest: readonly string[], percentile: string) {
  const all = [...given, ...workOf(given)];
  const named = (known: Record<string, [string, number]>): ChartSeries[] =>
    all.flatMap((one) => {
      const [label, tone] = known[one.name] ?? [];
      return label === undefined || tone === undefined ? [] : [{ name: one.name, label, tone, points: one.points }];
    });
  return {
    tokens: named(TOKENS),
    events: named(EVENTS),
    memories: largest(all, "memories"),
    latency: busiest.flatMap((behavior, index) => {
      const one = all.find((series) => series.name === `latency.${behavior}.${percentile}`);
      return one ? [{ name: one.name, label: behavior, tone: index + 1, points: one.points }] : [];
    }),
  };
}

/** The work behind what was told, step by step. */
function workOf(all: readonly Series[]): Series[] {
  const told = all.find((one) => one.name === TOLD);
  const saved = all.find((one) => one.name === "tokens-saved");
  if (!told || !saved) return [];
  const savedAt = new Map(saved.points);
  const points = told.points.map(([at, value]): [number, number] => [at, Math.max(0, value + (savedAt.get(at) ?? 0))]);
  return [{ name: WORK, unit: told.unit, points }];
}

/** Counts of several steps as one: columns of a week by the hour would be hairs. Times are no counts and stay. */
function joined(all: readonly Series[], step: number, joins: number): Series[] {
  if (joins === 1) return [...all];
  // On the person's own quarters of the day.
  const zone = new Date().getTimezoneOffset() * 60_000;
  const size = step * joins;
  return all.map((one) => {
    if (one.name.startsWith("latency.")) return one;
    const sums = new Map<number, number>();
    for (const [at, value] of one.points) {
      const begin = Math.floor((at - zone) / size) * size + zone;
      sums.set(begin, (sums.get(begin) ?? 0) + value);
    }
    return { ...one, points: [...sums] };
  });
}

/** The parts of `name`, largest first; what no color is left for is added up. Without parts the whole is the only one. */
function largest(all: readonly Series[], name: string): ChartSeries[] {
  const parts = all.filter((one) => one.name.startsWith(`${name}.`) && one.points.some(([, value]) => value > 0));
  if (parts.length === 0) {
    return all.filter((one) => one.name === name).map((one) => ({ name, label: "All", tone: 1, points: one.points }));
  }
  const sums = parts.map((one) => ({ one, sum: one.points.reduce((sum, [, value]) => sum + value, 0) }));
  sums.sort((left, right) => right.sum - left.sum);
  const kept = sums.length > MOST_SERIES ? sums.slice(0, MOST_SERIES - 1) : sums;
  const series = kept.map(({ one }, index) => ({
    name: one.name,
    label: one.name.slice(name.length + 1),
    tone: index + 1,
    points: one.points,
  }));
  const rest = sums.slice(kept.length);
  if (rest.length > 0) {
    const together = new Map<number, number>();
    for (const { one } of rest) for (const [at, value] of one.points) together.set(at, (together.get(at) ?? 0) + value);
    series.push({ name: `${name}.rest`, label: `${rest.length} others`, tone: MOST_SERIES, points: [...together] });
  }
  return series;
}
