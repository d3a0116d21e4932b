import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY, draw, gridOf } from "./ChartDrawing";
import { axis, short, timeTicks } from "./ChartScale";

const span = { from: 10 * DAY, until: 14 * DAY, step: DAY };

function series(points: [number, number][]) {
  return [{ name: "a", label: "A", tone: 1, points }];
}

test("every axis has its zero and reaches beyond both ends", () => {
  for (const [largest, smallest] of [
    [7, 0],
    [1, 0],
    [12345, -300],
    [0, -5],
    [0.3, 0],
    [1e9, 0],
  ] as const) {
    const { top, bottom, ticks } = axis(largest, smallest);
    assert.ok(ticks.includes(0) && top >= largest && bottom <= smallest && top > bottom, `${largest} ${smallest}`);
    assert.ok(ticks.length <= 8, `${ticks.length} ticks`);
  }
});

test("a count has no half steps", () => {
  assert.deepEqual(axis(2).ticks, [0, 1, 2]);
});

test("an axis of nothing can be drawn", () => {
  assert.deepEqual(axis(0), { top: 1, bottom: 0, ticks: [0, 1] });
});

test("what was not counted is zero, what was not measured is a gap", () => {
  const one = series([[11 * DAY, 5]]);
  assert.deepEqual(gridOf(span, one, one).values, [[0, 5, 0, 0]]);
  assert.deepEqual(gridOf({ ...span, gaps: true }, one, one).values, [[null, 5, null, null]]);
});

test("a value outside of the span is not drawn", () => {
  const one = series([
    [11 * DAY, 5],
    [99 * DAY, 7],
  ]);
  assert.deepEqual(gridOf(span, one, one).values, [[0, 5, 0, 0]]);
});

test("columns stand on each other and lines break at gaps", () => {
  const stacked = draw({ times: [0], values: [[1], [3]] }, 100, 100, true);
  assert.equal(stacked.axis.top, 4);
  assert.deepEqual(stacked.paths, ["M0 100.0V75.0H98V100.0z", "M0 75.0V0.0H98V75.0z"]);
  const [line] = draw({ times: [0, 1, 2, 3], values: [[4, null, 4, 4]] }, 40, 100, false).paths;
  assert.equal(line, "M5.0 0.0h0M25.0 0.0h0L35.0 0.0");
});

test("what is below zero is drawn below zero", () => {
  const { y, axis: scale } = draw({ times: [0, 1], values: [[10, -10]] }, 100, 100, false);
  assert.ok(scale.bottom <= -10 && y(0) > y(10) && y(-10) > y(0));
});

test("marks of days are the days of the daemon and never more than fit", () => {
  const ticks = timeTicks(10 * DAY, 40 * DAY, 5, true);
  assert.ok(ticks.length <= 6 && ticks.every((tick) => tick % DAY === 0));
});

test("times and amounts are short", () => {
  assert.deepEqual(
    [short(0, "us"), short(640, "us"), short(1500, "us"), short(2_500_000, "us"), short(1234, ""), short(-2e6, "")],
    ["0", "640 µs", "1.5 ms", "2.5 s", "1,234", "−2 M"],
  );
});
