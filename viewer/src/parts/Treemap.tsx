// Folders and files as rectangles: as large as the work in them. Pointer and arrow keys pick a place, Enter or a click
// goes into a folder, Escape out of it. What a place means is said by whoever shows it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { HEADER, layOut, type Place, type Tile } from "./TreemapLayout";
import { useWidth } from "./useWidth";

export interface TreemapProps {
  label: string;
  /** The folder that fills the picture. */
  shown: Place;
  /** The class that colors a file. */
  color: (place: Place) => string;
  /** A place in one spoken sentence. */
  describe: (place: Place) => string;
  onPick: (place: Place | null) => void;
  onOpen: (place: Place) => void;
  onLeave: () => void;
}

/** A letter is about this wide; names are cut so that they stay in their tiles. */
const CHARACTER = 7;
const LINE = 15;
const LOWEST = 320;
/** Of a page's height, taken by what stands above and below the picture. */
const BESIDE = 236;

export function Treemap({ label, shown, color, describe, onPick, onOpen, onLeave }: TreemapProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [picked, setPicked] = useState<string | null>(null);
  const byKey = useRef(false);
  const height = Math.round(Math.max(LOWEST, Math.min(width * 0.85, window.innerHeight - BESIDE)));
  const tiles = useMemo(() => (width > 0 ? layOut(shown, width, height) : []), [shown, width, height]);
  const tile = tiles.find((one) => one.place.path === picked);

  useEffect(() => setPicked(null), [shown]);

  const pick = (next: Tile | undefined, keyed: boolean): void => {
    byKey.current = keyed;
    if ((next?.place.path ?? null) === picked) return;
    setPicked(next?.place.path ?? null);
    onPick(next?.place ?? null);
  };
  const press = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined) {
      event.preventDefault();
      pick(tile === undefined ? tiles[0] : (neighbor(tiles, tile, direction) ?? tile), true);
    } else if ((event.key === "Enter" || event.key === " ") && tile !== undefined) {
      event.preventDefault();
      onOpen(tile.place);
    } else if ((event.key === "Escape" || event.key === "Backspace") && shown.path !== "") {
      event.preventDefault();
      event.stopPropagation();
      onLeave();
    }
  };
  const over = (event: PointerEvent): Tile | undefined => {
    const index = (event.target as Element).closest("[data-tile]")?.getAttribute("data-tile");
    return index === null || index === undefined ? undefined : tiles[Number(index)];
  };

  return (
    <div
      ref={ref}
      class="treemap"
      tabIndex={0}
      role="application"
      aria-roledescription="map of files"
      aria-label={`${label}. Arrow keys move, Enter opens a folder, Escape leaves it. The table says the same.`}
      onKeyDown={press}
      onPointerMove={(event) => pick(over(event), false)}
      onPointerLeave={() => pick(undefined, false)}
      onClick={(event) => {
        const hit = over(event as unknown as PointerEvent);
        if (hit !== undefined) onOpen(hit.place);
      }}
    >
      {width > 0 && (
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {tiles.map((one, index) => (
            <Cell key={one.place.path} tile={one} index={index} color={color(one.place)} />
          ))}
          {tile !== undefined && (
            <rect class="treemap-picked" x={tile.x} y={tile.y} width={tile.width} height={tile.height} rx={4} />
          )}
        </svg>
      )}
      <p class="hidden" role="status">
        {tile !== undefined && byKey.current ? describe(tile.place) : ""}
      </p>
    </div>
  );
}

function Cell({ tile, index, color }: { tile: Tile; index: number; color: string }) {
  const { x, y, width, height, place, open } = tile;
  const isFolder = place.children.length > 0;
  const room = Math.floor((width - 12) / CHARACTER);
  const name = isFolder || place.closed ? `${place.name}/` : place.name;
  const fits = room >= 3 && height >= LINE + 2;
  const touches = place.reads + place.edits;
  return (
    <g data-tile={index} class={isFolder ? "treemap-folder" : "treemap-file"}>
      <rect class={open ? "treemap-open" : color} x={x} y={y} width={width} height={height} rx={4} />
      {fits && (
        <text class={open ? "treemap-header" : "treemap-name"} x={x + 6} y={y + (open ? HEADER - 6 : LINE)}>
          {cut(name, room)}
        </text>
      )}
      {fits && !open && height >= 2 * LINE + 6 && room >= 6 && (
        <text class="treemap-count" x={x + 6} y={y + 2 * LINE}>
          {cut(`${touches.toLocaleString("en-US")} ×`, room)}
        </text>
      )}
      {place.claims > 0 && !open && width > 12 && height > 12 && (
        <circle class="treemap-claim" cx={x + width - 7} cy={y + 7} r={3.5} />
      )}
    </g>
  );
}

const DIRECTIONS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The nearest in that direction; what lies aside counts double. */
function neighbor(tiles: readonly Tile[], from: Tile, [dx, dy]: readonly [number, number]): Tile | undefined {
  const [x, y] = anchor(from);
  let best: Tile | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const tile of tiles) {
    const [left, top] = anchor(tile);
    const ahead = (left - x) * dx + (top - y) * dy;
    const aside = Math.abs((left - x) * dy) + Math.abs((top - y) * dx);
    const far = ahead + 2 * aside;
    if (tile !== from && ahead > 1 && far < least) [best, least] = [tile, far];
  }
  return best;
}

/** Where a tile is for the arrow keys: an open folder is its header. */
function anchor(tile: Tile): [number, number] {
  return [tile.x + tile.width / 2, tile.y + (tile.open ? HEADER / 2 : tile.height / 2)];
}

/** As much of a name as there is room for. */
function cut(name: string, room: number): string {
  return name.length <= room ? name : `${name.slice(0, Math.max(1, room - 1))}…`;
}
