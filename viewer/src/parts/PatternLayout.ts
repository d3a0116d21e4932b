// Where the agents of a pattern stand: whoever is given an answer stands to the right of whoever gave it, and the
// coordinator, who is given what is left, at the right end. No line goes back.

import type { PatternEdge, PatternNode } from "../types";

export const BOX = { width: 196, height: 58 };
const GAP = { x: 64, y: 18 };
const EDGE = 12;
/** The one who is given what nobody else is. */
export const COORDINATOR = "";

export interface Placed {
  key: string;
  x: number;
  y: number;
}

export interface Layout {
  width: number;
  height: number;
  boxes: Placed[];
  lines: { from: string; to: string; path: string }[];
}

export function layoutOf(nodes: readonly PatternNode[], edges: readonly PatternEdge[]): Layout {
  const keys = nodes.map((node) => node.key);
  const known = new Set(keys);
  const real = edges.filter((edge) => known.has(edge.from) && known.has(edge.to) && edge.from !== edge.to);
  const columns = columnsOf(keys, real);
  const gives = new Set(real.map((edge) => edge.from));
  const last = Math.max(0, ...columns.values()) + 1;
  const all = [...real, ...keys.filter((key) => !gives.has(key)).map((key) => ({ from: key, to: COORDINATOR }))];

  const byColumn: string[][] = Array.from({ length: last }, () => []);
  for (const key of keys) byColumn[columns.get(key) ?? 0]?.push(key);
  byColumn.push([COORDINATOR]);
  const tallest = Math.max(...byColumn.map((column) => column.length));
  const tall = (count: number): number => count * BOX.height + (count - 1) * GAP.y;
  const boxes = byColumn.flatMap((column, at) =>
    column.map((key, row) => ({
      key,
      x: EDGE + at * (BOX.width + GAP.x),
      y: EDGE + (tall(tallest) - tall(column.length)) / 2 + row * (BOX.height + GAP.y),
    })),
  );
  const place = new Map(boxes.map((box) => [box.key, box]));
  const lines = all.flatMap((edge) => {
    const [from, to] = [place.get(edge.from), place.get(edge.to)];
    return from && to ? [{ ...edge, path: between(from, to) }] : [];
  });
  return { width: 2 * EDGE + (last + 1) * BOX.width + last * GAP.x, height: 2 * EDGE + tall(tallest), boxes, lines };
}

/** The column of each: one behind the last that feeds it. What would go round stays where it is. */
function columnsOf(keys: readonly string[], edges: readonly PatternEdge[]): Map<string, number> {
  const columns = new Map(keys.map((key) => [key, 0]));
  for (let round = 0; round < keys.length; round += 1) {
    let moved = false;
    for (const { from, to } of edges) {
      const wanted = (columns.get(from) ?? 0) + 1;
      if (wanted > (columns.get(to) ?? 0) && wanted < keys.length) {
        columns.set(to, wanted);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return columns;
}

function between(from: Placed, to: Placed): string {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x - 6, to.y + BOX.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
