// Values over time, drawn here: lines, or columns that stand on each other. Says every value also in words, to the
// pointer, to the arrow keys and as a table. Fetches nothing.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type ChartSeries, DAY, type Grid, type Span, draw, gridOf, mark, moment, word } from "./ChartDrawing";
import { short, timeTicks } from "./ChartScale";
import { useWidth } from "./useWidth";

export interface ChartProps extends Span {
  title: string;
  /** One sentence that says what is measured. */
  meaning: string;
  unit: string;
  shape: "lines" | "columns";
  series: readonly ChartSeries[];
  empty: string;
  /** Beside the title. */
  controls?: ComponentChildren;
}

const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 26;
/** Room for one mark on the axis of time. */
const TICK_WIDTH = 68;

export function Chart(props: ChartProps) {
  const { title, meaning, unit, shape, series, step } = props;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [asTable, setAsTable] = useState(false);
  const shown = series.filter((one) => !hidden.has(one.name));
  const grid = useMemo(() => gridOf(props, series, shown), [props.from, props.until, step, series, hidden]);
  const isEmpty = !series.some((one) => one.points.some(([, value]) => value !== 0));
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  return (
    <section class="chart card" aria-label={title}>
      <header class="chart-head">
        <div>
          <h2 class="chart-title">{title}</h2>
          <p class="chart-meaning">{meaning}</p>
        </div>
        <div class="chart-controls">
          {props.controls}
          {!isEmpty && (
            <button type="button" class="button button-small" onClick={() => setAsTable(!asTable)}>
              {asTable ? "Picture" : "Table"}
              <span class="hidden"> of {title}</span>
            </button>
          )}
        </div>
      </header>
      {isEmpty ? (
        <p class="chart-empty">{props.empty}</p>
      ) : (
        <>
          <ul class="chart-legend" aria-label="Series">
            {series.map((one) => (
              <li key={one.name}>
                <button
                  type="button"
                  class={`chart-key tone-${one.tone}`}
                  aria-pressed={!hidden.has(one.name)}
                  title={hidden.has(one.name) ? "Show" : "Hide"}
                  onClick={() => toggle(one.name)}
                >
                  <span class="chart-swatch" aria-hidden="true" />
                  {one.label}
                </button>
              </li>
            ))}
          </ul>
          {asTable ? (
            <ChartTable title={title} grid={grid} series={shown} unit={unit} step={step} />
          ) : (
            <Picture {...props} series={shown} grid={grid} stacked={shape === "columns"} />
          )}
        </>
      )}
    </section>
  );
}

interface PictureProps extends ChartProps {
  grid: Grid;
  stacked: boolean;
}

function Picture({ title, unit, step, series, grid, stacked }: PictureProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number | null>(null);
  const [spoken, setSpoken] = useState("");
  const plot = { width: Math.max(0, width - LEFT - RIGHT), height: HEIGHT - TOP - BOTTOM };
  const column = plot.width / Math.max(1, grid.times.length);
  const x = (index: number): number => LEFT + column * (index + 0.5);
  const drawn = useMemo(() => draw(grid, plot.width, plot.height, stacked), [grid, plot.width, stacked]);
  const y = (value: number): number => TOP + drawn.y(value);
  const from = grid.times[0] ?? 0;
  const until = from + step * grid.times.length;
  const ticks = timeTicks(from, until, Math.max(2, Math.floor(plot.width / TICK_WIDTH)), step >= DAY);

  const point = (event: PointerEvent): void => {
    const left = (event.currentTarget as HTMLElement).getBoundingClientRect().left;
    const index = Math.floor((event.clientX - left - LEFT) / column);
    setAt(index >= 0 && index < grid.times.length ? index : null);
  };
  const press = (event: KeyboardEvent): void => {
    const last = grid.times.length - 1;
    const moves: Record<string, number> = {
      ArrowLeft: at === null ? last : Math.max(0, at - 1),
      ArrowRight: at === null ? 0 : Math.min(last, at + 1),
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (event.key === "Escape" && at !== null) {
      event.stopPropagation();
      setAt(null);
    } else if (next !== undefined) {
      event.preventDefault();
      setAt(next);
      const values = series.map((one, row) => `${one.label} ${word(grid.values[row]?.[next] ?? null, unit)}`);
      setSpoken(`${moment(grid.times[next] ?? 0, step)}: ${values.join(", ")}`);
    }
  };

  return (
    <div
      ref={ref}
      class="chart-picture"
      tabIndex={0}
      role="group"
      aria-roledescription="chart"
      aria-label={`${title}. Left and right arrow keys read the values.`}
      onPointerMove={point}
      onPointerLeave={() => setAt(null)}
      onKeyDown={press}
      onBlur={() => setAt(null)}
    >
      {width > 0 && (
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          {drawn.axis.ticks.map((tick) => (
            <g key={tick}>
              <line
                class={tick === 0 ? "chart-base" : "chart-rule"}
                x1={LEFT}
                x2={width - RIGHT}
                y1={y(tick)}
                y2={y(tick)}
              />
              <text class="chart-mark" x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
                {short(tick, unit)}
              </text>
            </g>
          ))}
          {ticks.map((tick) => {
            const left = LEFT + (plot.width * (tick - from)) / (until - from);
            return (
              left <= width - RIGHT - 14 && (
                <text
                  key={tick}
                  class="chart-mark"
                  x={left}
                  y={HEIGHT - 8}
                  text-anchor={left < LEFT + 20 ? "start" : "middle"}
                >
                  {mark(tick, until - from, step)}
                </text>
              )
            );
          })}
          {at !== null && stacked && (
            <rect class="chart-band" x={LEFT + column * at} y={TOP} width={column} height={plot.height} />
          )}
          <g transform={`translate(${LEFT} ${TOP})`}>
            {series.map((one, row) => (
              <path
                key={one.name}
                class={`${stacked ? "chart-fill" : "chart-line"} tone-${one.tone}`}
                d={drawn.paths[row] ?? ""}
              />
            ))}
          </g>
          {at !== null && !stacked && (
            <>
              <line class="chart-cross" x1={x(at)} x2={x(at)} y1={TOP} y2={TOP + plot.height} />
              {series.map((one, row) => {
                const value = grid.values[row]?.[at] ?? null;
                return (
                  value !== null && (
                    <circle key={one.name} class={`chart-dot tone-${one.tone}`} cx={x(at)} cy={y(value)} r={3.5} />
                  )
                );
              })}
            </>
          )}
        </svg>
      )}
      {at !== null && <Values at={at} left={x(at)} width={width} {...{ grid, series, unit, step, stacked }} />}
      <p class="hidden" role="status">
        {spoken}
      </p>
    </div>
  );
}

interface ValuesProps {
  at: number;
  left: number;
  width: number;
  grid: Grid;
  series: readonly ChartSeries[];
  unit: string;
  step: number;
  stacked: boolean;
}

function Values({ at, left, width, grid, series, unit, step, stacked }: ValuesProps) {
  const rows = series.map((one, row) => ({ one, value: grid.values[row]?.[at] ?? null }));
  const total = rows.reduce((sum, { value }) => sum + (value ?? 0), 0);
  // On the side with more room, and never wider than that.
  const isRight = left > width / 2;
  const room = `${Math.max(left, width - left) - 16}px`;
  const place = isRight
    ? { right: `${width - left + 12}px`, maxWidth: room }
    : { left: `${left + 12}px`, maxWidth: room };
  return (
    <div class="chart-values" style={place} aria-hidden="true">
      <p class="chart-when">{moment(grid.times[at] ?? 0, step)}</p>
      <dl>
        {rows
          .filter(({ value }) => !stacked || (value ?? 0) > 0)
          .map(({ one, value }) => (
            <div key={one.name} class={`tone-${one.tone}`}>
              <dt>
                <span class="chart-swatch" />
                {one.label}
              </dt>
              <dd>{word(value, unit)}</dd>
            </div>
          ))}
        {stacked && series.length > 1 && (
          <div class="chart-total">
            <dt>Together</dt>
            <dd>{word(total, unit)}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

interface TableProps {
  title: string;
  grid: Grid;
  series: readonly ChartSeries[];
  unit: string;
  step: number;
}

function ChartTable({ title, grid, series, unit, step }: TableProps) {
  const rows = grid.times.map((time, index) => ({ time, index })).reverse();
  const filled = rows.filter(({ index }) => series.some((_, row) => (grid.values[row]?.[index] ?? 0) !== 0));
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{step < DAY ? "Time" : "Day"}</th>
            {series.map((one) => (
              <th key={one.name} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filled.map(({ time, index }) => (
            <tr key={time}>
              <th scope="row">{moment(time, step)}</th>
              {series.map((one, row) => (
                <td key={one.name}>{word(grid.values[row]?.[index] ?? null, unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
