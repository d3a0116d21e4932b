import assert from "node:assert/strict";
import { test } from "node:test";
import { workState } from "./atWork";

const MINUTE = 60_000;

test("a session that never said that it ended is not at work for days", () => {
  const at = (minutes: number) => workState(true, 0, minutes * MINUTE);
  assert.deepEqual([at(0), at(29), at(30), at(239), at(240), at(3 * 24 * 60)], [
    "at work",
    "at work",
    "silent",
    "silent",
    "ended",
    "ended",
  ]);
});

test("a session that ended a moment ago is over", () => {
  assert.equal(workState(false, 0, 1), "ended");
});
