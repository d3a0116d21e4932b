import assert from "node:assert/strict";
import { test } from "node:test";
import { type Box, find, layOut, squarify, tree, type TouchedFile, weight } from "./TreemapLayout";

const ROOM: Box = { x: 0, y: 0, width: 600, height: 400 };

function file(path: string, reads = 1, edits = 0): TouchedFile {
  return { path, reads, edits, sessions: [path], last_at: reads, live_claims: 0 };
}

function overlap(one: Box, other: Box): number {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, across) * Math.max(0, down);
}

test("areas are in proportion to weights and fill the room", () => {
  const weights = [60, 40, 30, 20, 10, 5, 3, 2];
  const boxes = squarify(weights, ROOM);
  const unit = (600 * 400) / weights.reduce((sum, one) => sum + one, 0);
  boxes.forEach((box, index) => assert.ok(Math.abs(box.width * box.height - (weights[index] ?? 0) * unit) < 1e-6));
});

test("no two boxes lie on each other and none leaves the room", () => {
  const boxes = squarify(
    Array.from({ length: 40 }, (_, index) => 40 - index),
    ROOM,
  );
  boxes.forEach((one, index) => {
    assert.ok(one.x >= -1e-6 && one.y >= -1e-6 && one.x + one.width <= 600.001 && one.y + one.height <= 400.001);
    for (const other of boxes.slice(index + 1)) assert.ok(overlap(one, other) < 1e-3);
  });
});

test("boxes are closer to squares than slices would be", () => {
  const boxes = squarify(Array(12).fill(1), ROOM);
  const worst = Math.max(...boxes.map((box) => Math.max(box.width / box.height, box.height / box.width)));
  assert.ok(worst < 2.5, String(worst));
});

test("nothing, and weights of nothing, are boxes of no size", () => {
  assert.deepEqual(squarify([], ROOM), []);
  assert.ok(squarify([0, 0], ROOM).every((box) => box.width === 0));
});

test("a folder counts what is in it, once", () => {
  const told = [{ ...file("src", 3, 1), folder: true }, file("src/a.rs", 1, 1), file("src/b.rs", 2)];
  const root = tree(told);
  assert.deepEqual([root.reads, root.edits], [3, 1]);
  assert.deepEqual(
    root.children.map((child) => [child.name, weight(child)]),
    [["src", 5]],
  );
});

test("a folder of which nothing more is told stands for what is in it", () => {
  const root = tree([{ ...file("vendor", 9), folder: true }, file("a.rs")]);
  const vendor = find(root, "").children[0];
  assert.ok(vendor && vendor.closed && vendor.children.length === 0 && vendor.reads === 9);
});

test("folders that hold only one folder are shown as one", () => {
  const root = tree([file("crates/engine/src/a.rs"), file("crates/engine/src/b.rs"), file("README.md", 9)]);
  assert.deepEqual(
    root.children.map((child) => child.name),
    ["README.md", "crates/engine/src"],
  );
  assert.equal(find(root, "crates/engine/src").children.length, 2);
  assert.equal(find(root, "crates/engine/nowhere").path, "");
});

test("strange paths are names and nothing else", () => {
  const root = tree([file("<img src=x>/../a"), file("/"), file("__proto__/toString")]);
  assert.deepEqual(root.children.map((child) => child.name).sort(), ["<img src=x>/..", "__proto__"]);
});

test("two thousand files are laid out within what can be seen", () => {
  const root = tree(Array.from({ length: 2000 }, (_, index) => file(`d${index % 40}/f${index}.rs`, 1 + (index % 17))));
  const tiles = layOut(root, 800, 600);
  assert.ok(tiles.length > 100 && tiles.every((tile) => tile.width > 0 && tile.height > 0));
});
