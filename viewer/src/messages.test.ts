import assert from "node:assert/strict";
import { test } from "node:test";
import { messages } from "./messages";

const STREAM =
  ": hello\n\nid: 4-2\nevent: event\ndata: {\"a\":1}\n\nevent: memory\r\ndata: one\r\ndata: two\r\n\r\nid: 5-2\n\ndata\n\ndata: tail";
const TOLD = [
  ["event", '{"a":1}', "4-2"],
  ["memory", "one\ntwo", "4-2"],
  ["message", "", "5-2"],
];

test("a stream is told the same however it is cut", () => {
  for (let size = 1; size <= STREAM.length; size += 1) {
    const told: string[][] = [];
    const take = messages((...said) => told.push(said));
    for (let at = 0; at < STREAM.length; at += size) take(STREAM.slice(at, at + size));
    assert.deepEqual(told, TOLD, `pieces of ${size}`);
  }
});
