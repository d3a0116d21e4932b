// Turns touched files into a tree and the tree into rectangles. Knows nothing of the page: numbers in, numbers out.

/** One file as the API tells of it, or a folder with all that is in it. */
export interface TouchedFile {
  path: string;
  folder?: boolean;
  reads: number;
  edits: number;
  sessions: string[];
  last_at: number;
  live_claims: number;
}

/** A folder or a file, with what happened in it and below. */
export interface Place {
  name: string;
  path: string;
  reads: number;
  edits: number;
  lastAt: number;
  claims: number;
  sessions: Set<string>;
  /** A folder of which nothing more is told. */
  closed: boolean;
  /** Heaviest first; empty for a file. */
  children: Place[];
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Tile extends Box {
  place: Place;
  /** How deep below the folder that is shown; 0 is its own children. */
  depth: number;
  /** Whether what is inside is drawn, too. */
  open: boolean;
}

/** Room for a folder's name above what is in it. */
export const HEADER = 20;
const GAP = 2;
/** A folder smaller than this is drawn closed: what is in it could be neither read nor hit. */
const OPEN_WIDTH = 72;
const OPEN_HEIGHT = 56;
/** Nothing smaller than this can be seen. */
const SMALLEST = 3;

/** How much a place weighs. An edit says more about where the work is than a read. */
export function weight(place: Place): number {
  return place.reads + 2 * place.edits;
}

export function tree(files: readonly TouchedFile[]): Place {
  const root = folder("", "");
  const known = new Map<string, Place>([["", root]]);
  const holds = new Set<string>();
  for (const { path } of files)
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) holds.add(path.slice(0, cut));
  for (const file of files) {
    const path = file.path.replace(/^\/+|\/+$/g, "");
    // A folder whose files are told of, too, counts what they count.
    if (path === "" || (file.folder === true && holds.has(path))) continue;
    let place = known.get(path);
    if (place === undefined) {
      place = folder(lastName(path), path);
      known.set(path, place);
      parentOf(path, known).children.push(place);
    }
    place.reads += file.reads;
    place.edits += file.edits;
    place.claims += file.live_claims;
    place.lastAt = Math.max(place.lastAt, file.last_at);
    for (const session of file.sessions) place.sessions.add(session);
    place.closed = file.folder === true;
    if (place.reads + place.edits === 0) place.reads = 1;
  }
  sum(root);
  return root;
}

/** The place at a path, or the nearest folder above it that exists. */
export function find(root: Place, path: string): Place {
  let at = root;
  while (at.path !== path) {
    const next = at.children.find(
      (child) => child.children.length > 0 && (path === child.path || path.startsWith(`${child.path}/`)),
    );
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

export function layOut(folderShown: Place, width: number, height: number): Tile[] {
  const tiles: Tile[] = [];
  fill(folderShown, { x: 0, y: 0, width, height }, 0, tiles);
  return tiles;
}

/** Squarified treemap: rows are filled along the shorter side for as long as that makes squarer rectangles. */
export function squarify(weights: readonly number[], box: Box): Box[] {
  const total = weights.reduce((sum, one) => sum + one, 0);
  if (total <= 0 || box.width <= 0 || box.height <= 0) return weights.map(() => ({ ...box, width: 0, height: 0 }));
  const scale = (box.width * box.height) / total;
  const boxes: Box[] = [];
  let rest = { ...box };
  let start = 0;
  while (start < weights.length) {
    const side = Math.min(rest.width, rest.height);
    let end = start + 1;
    let area = (weights[start] ?? 0) * scale;
    let worst = aspect(weights, start, end, area, side, scale);
    while (end < weights.length) {
      const grown = area + (weights[end] ?? 0) * scale;
      const next = aspect(weights, start, end + 1, grown, side, scale);
      if (next > worst) break;
      [end, area, worst] = [end + 1, grown, next];
    }
    const thick = side > 0 ? area / side : 0;
    let along = 0;
    for (let at = start; at < end; at += 1) {
      const long = thick > 0 ? ((weights[at] ?? 0) * scale) / thick : 0;
      boxes.push(
        rest.width >= rest.height
          ? { x: rest.x, y: rest.y + along, width: thick, height: long }
          : { x: rest.x + along, y: rest.y, width: long, height: thick },
      );
      along += long;
    }
    rest =
      rest.width >= rest.height
        ? { ...rest, x: rest.x + thick, width: rest.width - thick }
        : { ...rest, y: rest.y + thick, height: rest.height - thick };
    start = end;
  }
  return boxes;
}

function folder(name: string, path: string): Place {
  return { name, path, reads: 0, edits: 0, lastAt: 0, claims: 0, sessions: new Set(), closed: false, children: [] };
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function parentOf(path: string, known: Map<string, Place>): Place {
  const cut = path.lastIndexOf("/");
  const parentPath = cut < 0 ? "" : path.slice(0, cut);
  const found = known.get(parentPath);
  if (found !== undefined) return found;
  const made = folder(lastName(parentPath), parentPath);
  known.set(parentPath, made);
  parentOf(parentPath, known).children.push(made);
  return made;
}

/** A folder that holds nothing but one folder is shown as one with it. */
function joined(place: Place): Place {
  let at = place;
  for (let only = at.children[0]; at.children.length === 1 && only !== undefined; only = at.children[0]) {
    if (only.children.length === 0 || at.reads + at.edits > 0) break;
    at = { ...only, name: `${at.name}/${only.name}` };
  }
  return at;
}

/** Adds up what is below and puts the heaviest first. */
function sum(place: Place): void {
  place.children = place.children.map(joined);
  for (const child of place.children) {
    if (child.children.length > 0) sum(child);
    place.reads += child.reads;
    place.edits += child.edits;
    place.claims += child.claims;
    place.lastAt = Math.max(place.lastAt, child.lastAt);
    for (const session of child.sessions) place.sessions.add(session);
  }
  place.children.sort((left, right) => weight(right) - weight(left) || (left.path < right.path ? -1 : 1));
}

function fill(place: Place, box: Box, depth: number, tiles: Tile[]): void {
  const boxes = squarify(place.children.map(weight), box);
  place.children.forEach((child, index) => {
    const own = boxes[index];
    if (own === undefined || own.width < SMALLEST || own.height < SMALLEST) return;
    const inner = { x: own.x + GAP / 2, y: own.y + GAP / 2, width: own.width - GAP, height: own.height - GAP };
    const open = child.children.length > 0 && inner.width >= OPEN_WIDTH && inner.height >= OPEN_HEIGHT;
    tiles.push({ ...inner, place: child, depth, open });
    if (open) {
      const below = {
        x: inner.x + GAP,
        y: inner.y + HEADER,
        width: inner.width - 2 * GAP,
        height: inner.height - HEADER - GAP,
      };
      fill(child, below, depth + 1, tiles);
    }
  });
}

function aspect(
  weights: readonly number[],
  start: number,
  end: number,
  area: number,
  side: number,
  scale: number,
): number {
  if (area <= 0 || side <= 0) return Number.POSITIVE_INFINITY;
  const largest = (weights[start] ?? 0) * scale;
  const smallest = (weights[end - 1] ?? 0) * scale;
  if (smallest <= 0) return Number.POSITIVE_INFINITY;
  const square = side * side;
  return Math.max((square * largest) / (area * area), (area * area) / (square * smallest));
}
