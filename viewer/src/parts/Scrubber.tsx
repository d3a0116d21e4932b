// A whole session in one strip: how much happened when, in one lane per type, and where we are. A slider for the keyboard,
// a strip to drag for everybody else.

import { useMemo, useRef } from "preact/hooks";
import { lanesOf, nearest, type Lane, type Scale } from "../scale";
import type { TimelineItem } from "../types";
import { toneOf } from "./Kind";
import { clock, day, span } from "./Time";

/** Bars across the strip; more would be thinner than a pixel on a phone. */
const BINS = 160;
const LANE = 9;
const TOOL_LANE = 26;
const GAP = 4;
/** So near to an end of the strip our own time stands where that end's would. */
const EDGE = 0.2;

const NAMES: Record<string, string> = {
  prompt: "Prompts",
  tool: "Tools",
  subagent: "Subagents",
  memory: "Memories",
  injection: "Injected",
  verdict: "Guards",
};

interface ScrubberProps {
  items: readonly TimelineItem[];
  scale: Scale;
  chosen: number;
  choose: (index: number) => void;
}

export function Scrubber({ items, scale, chosen, choose }: ScrubberProps) {
  const strip = useRef<HTMLDivElement>(null);
  const dragging = useRef(false);
  const lanes = useMemo(() => lanesOf(items, scale.places, BINS), [items, scale]);
  const item = items[chosen];
  const first = items[0];
  const last = items.at(-1);
  if (!item || !first || !last) return null;

  const goTo = (x: number) => {
    const box = strip.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    choose(nearest(scale.places, Math.max(0, Math.min(1, (x - box.left) / box.width))));
  };
  const step = (by: number) => choose(Math.max(0, Math.min(items.length - 1, chosen + by)));
  const tenth = Math.max(1, Math.round(items.length / 10));
  const steps: Record<string, () => void> = {
    ArrowLeft: () => step(-1),
    ArrowDown: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => step(1),
    PageDown: () => step(-tenth),
    PageUp: () => step(tenth),
    Home: () => choose(0),
    End: () => choose(items.length - 1),
  };
  const here = scale.places[chosen] ?? 0;
  const sameDay = day(first.at) === day(last.at);
  const moment = (at: number) => (sameDay ? clock(at) : `${day(at)}, ${clock(at)}`);

  return (
    <div class="scrubber">
      <div class="scrubber-names" aria-hidden="true">
        {lanes.map((lane) => (
          <span key={lane.type} class={lane.type === "tool" ? "scrubber-tool" : ""}>
            {NAMES[lane.type]}
          </span>
        ))}
      </div>
      <div
        class="scrubber-strip"
        ref={strip}
        role="slider"
        tabIndex={0}
        aria-label="Place in the session"
        aria-valuemin={1}
        aria-valuemax={items.length}
        aria-valuenow={chosen + 1}
        aria-valuetext={`${clock(item.at)}, ${item.type}: ${item.title}`}
        onKeyDown={(event) => {
          const run = steps[event.key];
          if (!run || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          event.stopPropagation();
          run();
        }}
        onPointerDown={(event) => {
          dragging.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
          goTo(event.clientX);
        }}
        onPointerMove={(event) => {
          if (dragging.current) goTo(event.clientX);
        }}
        onPointerUp={() => (dragging.current = false)}
        onPointerCancel={() => (dragging.current = false)}
      >
        <Picture lanes={lanes} />
        {scale.gaps.map((gap) => (
          <span class="scrubber-gap" key={gap.at} title={`nothing for ${span(gap.ms)}`} style={{ left: `${gap.at * 100}%` }} />
        ))}
        <span class="scrubber-here" style={{ left: `${here * 100}%` }}>
          <span class={`scrubber-now ${here > 0.5 ? "scrubber-left" : ""}`}>{moment(item.at)}</span>
        </span>
      </div>
      <div class="scrubber-times" aria-hidden="true">
        <span>{here < EDGE ? "" : moment(first.at)}</span>
        <span>{here > 1 - EDGE ? "" : moment(last.at)}</span>
      </div>
    </div>
  );
}

function Picture({ lanes }: { lanes: readonly Lane[] }) {
  const heights = lanes.map((lane) => (lane.type === "tool" ? TOOL_LANE : LANE));
  const height = heights.reduce((sum, each) => sum + each, 0) + GAP * Math.max(0, lanes.length - 1);
  const drawn = useMemo(() => {
    let top = 0;
    return lanes.map((lane, index) => {
      const own = heights[index] ?? LANE;
      const group = <LanePicture key={lane.type} lane={lane} top={top} height={own} />;
      top += own + GAP;
      return group;
    });
  }, [lanes]);
  return (
    <svg class="scrubber-picture" viewBox={`0 0 ${BINS} ${height}`} height={height} preserveAspectRatio="none" aria-hidden="true">
      {drawn}
    </svg>
  );
}

/** Tools as bars, because their number tells; the others as marks, because that they are there tells. */
function LanePicture({ lane, top, height }: { lane: Lane; top: number; height: number }) {
  const most = lane.counts.reduce((a, b) => Math.max(a, b), 1);
  const bars = [];
  for (let bin = 0; bin < BINS; bin += 1) {
    const value = lane.counts[bin] ?? 0;
    if (value === 0) continue;
    const tall = lane.type === "tool" ? Math.max(3, (Math.sqrt(value) / Math.sqrt(most)) * height) : height;
    // A mark says that something is there; a strong one, that there is much of it.
    const strong = lane.type === "tool" ? undefined : 0.4 + 0.6 * (value / most);
    bars.push(<rect key={bin} x={bin + 0.1} y={top + height - tall} width={0.8} height={tall} opacity={strong} />);
    const failed = lane.failed[bin] ?? 0;
    if (failed === 0) continue;
    const wrong = Math.max(3, (failed / value) * tall);
    bars.push(<rect key={`${bin} failed`} class="lane-failed" x={bin + 0.1} y={top + height - wrong} width={0.8} height={wrong} />);
  }
  return (
    <g class={`lane lane-${toneOf(lane.type)}`}>
      <rect class="lane-ground" x={0} y={top + height - 1} width={BINS} height={1} />
      {bars}
    </g>
  );
}
