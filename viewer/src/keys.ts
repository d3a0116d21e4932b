// The keyboard. A view registers keys while it is shown; the frame has its own below them. Keys typed into a field belong
// to the field, except Escape.

import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";

export interface Key {
  /** As `KeyboardEvent.key` says it, or two of them: "g l". */
  key: string;
  does: string;
  run: (event: KeyboardEvent) => void;
}

/** How long the second key of a pair may take. */
const PAIR_MS = 1_200;

const layers = signal<readonly (readonly Key[])[]>([]);
let first = "";
let firstAt = 0;

export const helpShown = signal(false);

/** All keys that work now, topmost layer first, each key once. */
export function known(): Key[] {
  const seen = new Map<string, Key>();
  for (const layer of [...layers.value].reverse()) {
    for (const key of layer) if (!seen.has(key.key)) seen.set(key.key, key);
  }
  return [...seen.values()];
}

export function useKeys(keys: readonly Key[], inputs: readonly unknown[] = []) {
  useEffect(() => {
    layers.value = [...layers.peek(), keys];
    return () => {
      layers.value = layers.peek().filter((layer) => layer !== keys);
    };
  }, inputs);
}

export function listen() {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target) && event.key !== "Escape") return;
    // A dialog is alone with its keys: Escape closes it without our doing.
    if (document.querySelector("dialog[open]")) return;
    const now = event.timeStamp;
    const pair = first && now - firstAt < PAIR_MS ? `${first} ${event.key}` : "";
    const all = known();
    const hit = (pair && all.find((key) => key.key === pair)) || all.find((key) => key.key === event.key);
    first = pair || hit ? "" : event.key;
    firstAt = now;
    if (!hit) return;
    event.preventDefault();
    hit.run(event);
  });
}

export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.tagName === "TEXTAREA" || target.tagName === "SELECT") return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "range"].includes(target.type);
}
