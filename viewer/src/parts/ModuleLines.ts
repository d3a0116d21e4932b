// The graph of modules as numbers: how a line runs, who is beside whom, who uses whom. Draws nothing.

import type { Drawn, ModuleBox } from "../types";

/** From point to point, upright where it leaves and arrives. */
export function curve(points: readonly number[]): string {
  let path = "";
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]];
    const [beforeX = 0, beforeY = 0] = [points[at - 2], points[at - 1]];
    const middle = (beforeY + y) / 2;
    path += at === 0 ? `M${x} ${y}` : `C${beforeX} ${middle} ${x} ${middle} ${x} ${y}`;
  }
  return path;
}

/** The nearest box in that direction; what lies aside counts double. */
export function beside(
  boxes: readonly ModuleBox[],
  from: number,
  [dx, dy]: readonly [number, number],
): number | undefined {
  const at = boxes[from];
  if (at === undefined) return undefined;
  const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  boxes.forEach((box, index) => {
    const [left, top] = [box.x + box.width / 2 - x, box.y + box.height / 2 - y];
    const ahead = left * dx + top * dy;
    const far = ahead + 2 * (Math.abs(left * dy) + Math.abs(top * dx));
    if (index !== from && ahead > 1 && far < least) [best, least] = [index, far];
  });
  return best;
}

/** What a box uses, the most first. */
export function uses(drawn: Drawn, index: number): number[] {
  const of = drawn.lines.filter((line) => line.from === index).sort((a, b) => b.count - a.count);
  return of.map((line) => line.to);
}

export function usedBy(drawn: Drawn, index: number): number[] {
  const of = drawn.lines.filter((line) => line.to === index).sort((a, b) => b.count - a.count);
  return of.map((line) => line.from);
}
