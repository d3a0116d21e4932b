// A word about what was just done. Gone by itself; never the only place where something is said.

import { signal } from "@preact/signals";

interface Note {
  id: number;
  text: string;
  bad: boolean;
}

const SHOWN_MS = 4_000;
/** An error is read twice. */
const BAD_SHOWN_MS = 9_000;
const MOST = 3;

const notes = signal<readonly Note[]>([]);
let number = 0;

export function say(text: string, bad = false) {
  number += 1;
  const id = number;
  notes.value = [...notes.peek(), { id, text, bad }].slice(-MOST);
  window.setTimeout(() => {
    notes.value = notes.peek().filter((note) => note.id !== id);
  }, bad ? BAD_SHOWN_MS : SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notes.value.map((note) => (
        <div class={`toast ${note.bad ? "toast-bad" : ""}`} key={note.id}>
          {note.text}
        </div>
      ))}
    </div>
  );
}
