// Modules as boxes, who uses above what is used. Pointer and arrow keys pick a box: its lines stand out, the rest steps back.
// Enter or a click opens it, Escape goes out. Where everything stands was found by the daemon.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Drawn, ModuleBox, ModuleLine } from "../types";
import { beside, curve } from "./ModuleLines";
import { count, many } from "./Time";

export interface ModuleGraphProps {
  label: string;
  drawn: Drawn;
  /** Shrunk to the width there is, or as large as it is read best. */
  fits: boolean;
  picked: number | null;
  /** A box in one spoken sentence. */
  describe: (index: number) => string;
  onPick: (index: number | null) => void;
  onOpen: (index: number) => void;
  onLeave: () => void;
}

/** A letter is about this wide; names are cut so that they stay in their boxes. */
const CHARACTER = 7.6;
/** Fewer uses than this are never drawn as the thickest line. */
const MANY = 20;
/** Of the size it is read best at. */
const SMALLEST = 0.5;

export function ModuleGraph({ label, drawn, fits, picked, describe, onPick, onOpen, onLeave }: ModuleGraphProps) {
  const byKey = useRef(false);
  const [focused, setFocused] = useState(false);
  const near = neighbors(drawn, picked);

  useEffect(() => {
    byKey.current = false;
  }, [drawn]);

  const pick = (next: number | null, keyed: boolean): void => {
    byKey.current = keyed;
    if (next !== picked) onPick(next);
  };
  const press = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined) {
      event.preventDefault();
      pick(picked === null ? 0 : (beside(drawn.boxes, picked, direction) ?? picked), true);
    } else if ((event.key === "Enter" || event.key === " ") && picked !== null) {
      event.preventDefault();
      onOpen(picked);
    } else if (event.key === "Escape" || event.key === "Backspace") {
      event.preventDefault();
      event.stopPropagation();
      onLeave();
    }
  };
  const over = (event: Event): number | null => {
    const index = (event.target as Element).closest("[data-box]")?.getAttribute("data-box");
    return index === null || index === undefined ? null : Number(index);
  };
  // Smaller than this nobody reads; then it is scrolled.
  const size = fits ? { style: { minWidth: `${drawn.width * SMALLEST}px` } } : { width: drawn.width, height: drawn.height };
  // What stands out is drawn last.
  const lines = [...drawn.lines].sort((a, b) => rank(a, picked) - rank(b, picked));
  const most = Math.max(MANY, ...drawn.lines.map((line) => line.count));

  return (
    <div
      class={`modules ${fits ? "modules-fit" : ""}`}
      tabIndex={0}
      role="application"
      aria-roledescription="graph of modules"
      aria-label={`${label}. Arrow keys move, Enter opens, Escape goes out. The table says the same.`}
      onKeyDown={press}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onPointerMove={(event) => {
        const index = over(event);
        if (index !== null) pick(index, false);
      }}
      onClick={(event) => {
        const index = over(event);
        if (index !== null) onOpen(index);
      }}
    >
      <svg viewBox={`0 0 ${drawn.width} ${drawn.height}`} {...size} aria-hidden="true">
        <defs>
          <Arrow id="modules-end" class="modules-end" />
          <Arrow id="modules-end-implied" class="modules-end modules-implied" />
          <Arrow id="modules-end-circular" class="modules-end modules-circular" />
          <Arrow id="modules-end-picked" class="modules-end modules-lit" />
        </defs>
        {lines.map((line) => (
          <path
            key={`${line.from} ${line.to}`}
            class={lineClass(line, picked)}
            d={curve(line.points)}
            style={{ strokeWidth: 1 + (3 * Math.log1p(line.count)) / Math.log1p(most) }}
            marker-end={end(line, picked)}
          />
        ))}
        {drawn.boxes.map((box, index) => (
          <Module
            key={box.name}
            box={box}
            index={index}
            faded={picked !== null && picked !== index && !near.has(index)}
            ringed={picked === index && (focused || near.size > 0)}
          />
        ))}
      </svg>
      <p class="hidden" role="status">
        {picked !== null && byKey.current ? describe(picked) : ""}
      </p>
    </div>
  );
}

function Module({ box, index, faded, ringed }: { box: ModuleBox; index: number; faded: boolean; ringed: boolean }) {
  const middle = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  const kind = box.circular ? "module-circular" : "module-plain";
  return (
    <g data-box={index} class={`module ${kind} ${faded ? "module-faded" : ""} ${ringed ? "module-picked" : ""}`}>
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={6} />
      <text class="module-name" x={middle} y={y - 3}>
        {cut(box.name, Math.floor((box.width - 12) / CHARACTER))}
      </text>
      <text class="module-about" x={middle} y={y + 13}>
        {`${many(box.files, "file")} · ${count(box.lines)} lines`}
      </text>
    </g>
  );
}

function Arrow({ id, class: name }: { id: string; class: string }) {
  return (
    <marker id={id} viewBox="0 0 8 8" refX={7} refY={4} markerWidth={8} markerHeight={8} markerUnits="userSpaceOnUse" orient="auto">
      <path class={name} d="M0 0L8 4L0 8z" />
    </marker>
  );
}

function lineClass(line: ModuleLine, picked: number | null): string {
  const lit = picked !== null && (line.from === picked || line.to === picked);
  const kind = line.circular ? "modules-circular" : line.implied ? "modules-implied" : "";
  return `modules-line ${kind} ${lit ? "modules-lit" : picked !== null ? "modules-faded" : ""}`;
}

/** An arrow does not fade with its line: where others stand out it has none. */
function end(line: ModuleLine, picked: number | null): string | undefined {
  if (picked !== null) return line.from === picked || line.to === picked ? "url(#modules-end-picked)" : undefined;
  return line.circular ? "url(#modules-end-circular)" : line.implied ? "url(#modules-end-implied)" : "url(#modules-end)";
}

/** What is implied lies below, what stands out above. */
function rank(line: ModuleLine, picked: number | null): number {
  if (picked !== null && (line.from === picked || line.to === picked)) return 2;
  return line.implied ? 0 : 1;
}

function neighbors(drawn: Drawn, picked: number | null): Set<number> {
  const near = new Set<number>();
  for (const line of drawn.lines) {
    if (line.from === picked) near.add(line.to);
    if (line.to === picked) near.add(line.from);
  }
  return near;
}

const DIRECTIONS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The end of a path says more than its beginning. */
function cut(name: string, room: number): string {
  return name.length <= room ? name : `…${name.slice(-Math.max(1, room - 1))}`;
}
