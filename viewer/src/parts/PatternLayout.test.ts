import assert from "node:assert/strict";
import { test } from "node:test";
import type { PatternNode } from "../types";
import { BOX, COORDINATOR, layoutOf } from "./PatternLayout";

const node = (key: string): PatternNode => ({ key, label: key, role: "r", state: "out", tries: 1 });

test("stages stand one behind the other and the coordinator at the end", () => {
  const layout = layoutOf([node("a"), node("b")], [{ from: "a", to: "b" }]);
  const [a, b, end] = ["a", "b", COORDINATOR].map((key) => layout.boxes.find((box) => box.key === key)?.x ?? 0);
  assert.ok(a! < b! && b! < end!, JSON.stringify(layout));
  assert.equal(layout.lines.length, 2);
});

test("no two agents stand in one place and all stand inside", () => {
  const keys = Array.from({ length: 30 }, (_, at) => `n${at}`);
  const edges = keys.slice(1).map((key, at) => ({ from: keys[Math.floor(at / 3)]!, to: key }));
  const layout = layoutOf(keys.map(node), edges);
  assert.equal(new Set(layout.boxes.map((box) => `${box.x} ${box.y}`)).size, 31);
  for (const box of layout.boxes) assert.ok(box.x + BOX.width <= layout.width && box.y + BOX.height <= layout.height && box.y >= 0);
});

test("lines that go round end all the same", () => {
  const layout = layoutOf([node("a"), node("b")], [{ from: "a", to: "b" }, { from: "b", to: "a" }, { from: "x", to: "a" }]);
  assert.equal(layout.boxes.length, 3);
});
