import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOf, nearest, scaleOf } from "./scale";
import type { TimelineItem, TimelineType } from "./types";

const MINUTE = 60_000;

function item(at: number, type: TimelineType = "tool", ok?: boolean): TimelineItem {
  return { type, at, title: "", ok: ok ?? null };
}

test("the first item lies at the beginning and the last at the end", () => {
  const { places } = scaleOf([item(0), item(MINUTE), item(2 * MINUTE)]);
  assert.deepEqual([...places], [0, 0.5, 1]);
});

test("a night of silence is no wider than a pause and is marked with its length", () => {
  const night = 9 * 60 * MINUTE;
  const { places, gaps } = scaleOf([item(0), item(3 * MINUTE), item(3 * MINUTE + night)]);
  assert.equal(places[1], 0.5);
  assert.deepEqual(gaps.map((gap) => gap.ms), [night]);
  assert.ok(gaps[0] && gaps[0].at > 0.5 && gaps[0].at < 1);
});

test("items of one millisecond still stand beside each other", () => {
  const { places } = scaleOf([item(5), item(5), item(5)]);
  assert.deepEqual([...places], [0, 0.5, 1]);
});

test("items that go back in time stay in their order", () => {
  const { places } = scaleOf([item(100), item(50), item(200)]);
  assert.ok([...places].every((place, index) => index === 0 || place > (places[index - 1] ?? 1)));
});

test("a scale of nothing and of one item can be drawn", () => {
  assert.deepEqual([...scaleOf([]).places], []);
  assert.deepEqual([...scaleOf([item(7)]).places], [0]);
});

test("the nearest item is found from every place", () => {
  const places = Float64Array.from([0, 0.2, 0.9, 1]);
  const found = [-1, 0, 0.09, 0.11, 0.5, 0.6, 0.94, 0.96, 1, 2].map((place) => nearest(places, place));
  assert.deepEqual(found, [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]);
});

test("each type that occurs has a lane, and what went wrong is counted in it", () => {
  const items = [item(0, "prompt"), item(1, "tool", true), item(2, "tool", false), item(3, "event")];
  const lanes = lanesOf(items, Float64Array.from([0, 0.5, 0.6, 1]), 2);
  assert.deepEqual(
    lanes.map((lane) => [lane.type, [...lane.counts], [...lane.failed], lane.total]),
    [
      ["prompt", [1, 0], [0, 0], 1],
      ["tool", [0, 2], [0, 1], 2],
    ],
  );
});
