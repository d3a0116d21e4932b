import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, curve, usedBy, uses } from "./ModuleLines";

const box = (x: number, y: number) => ({
  name: `${x} ${y}`, files: 1, lines: 1, symbols: 1, circular: false, of: 1, x, y, width: 100, height: 40,
});

test("an arrow key goes to the nearest box on that side, and nowhere where there is none", () => {
  const boxes = [box(0, 0), box(200, 0), box(10, 100), box(400, 90)];
  assert.equal(beside(boxes, 0, [1, 0]), 1);
  assert.equal(beside(boxes, 0, [0, 1]), 2);
  assert.equal(beside(boxes, 2, [0, -1]), 0);
  assert.equal(beside(boxes, 0, [-1, 0]), undefined);
  assert.equal(beside(boxes, 9, [1, 0]), undefined);
});

test("a line is upright where it leaves and arrives", () => {
  assert.equal(curve([0, 0, 10, 20]), "M0 0C0 10 10 10 10 20");
  assert.equal(curve([]), "");
});

test("what is used the most is named first", () => {
  const line = (from: number, to: number, count: number) => ({ from, to, count, circular: false, implied: false, points: [] });
  const drawn = { width: 1, height: 1, boxes: [], modules: 0, lines: [line(0, 1, 2), line(0, 2, 9), line(2, 1, 1)] };
  assert.deepEqual(uses(drawn, 0), [2, 1]);
  assert.deepEqual(usedBy(drawn, 1), [0, 2]);
});
