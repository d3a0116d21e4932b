// Fields with names. A field without a visible name has one for those who hear it.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./Kind";

interface Choice {
  value: string;
  label: string;
  /** A colored dot before a chip's word. */
  tone?: string;
}

interface SelectProps {
  label: string;
  value: string;
  choices: readonly Choice[];
  change: (value: string) => void;
  /** Puts the name before the field instead of hiding it. */
  shown?: boolean;
}

export function Select({ label, value, choices, change, shown = false }: SelectProps) {
  const id = useId();
  return (
    <span class="select">
      <label for={id} class={shown ? "select-label" : "hidden"}>
        {label}
      </label>
      <select id={id} class="input" value={value} onChange={(event) => change(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Waits for a pause in the typing before it tells. */
const PAUSE_MS = 150;

interface SearchFieldProps {
  label: string;
  value: string;
  change: (value: string) => void;
  placeholder?: string;
  /** "/" goes here. */
  main?: boolean;
}

export function SearchField({ label, value, change, placeholder, main = false }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  useEffect(() => setText(value), [value]);
  return (
    <span class="search-field">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        autocomplete="off"
        spellcheck={false}
        data-main={main ? "search" : undefined}
        value={text}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          window.clearTimeout(timer.current);
          timer.current = window.setTimeout(() => change(next), PAUSE_MS);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          window.clearTimeout(timer.current);
          change(event.currentTarget.value);
        }}
      />
    </span>
  );
}

interface ToggleProps {
  label: ComponentChildren;
  on: boolean;
  change: (on: boolean) => void;
  disabled?: boolean;
  /** The name for those who hear it, where `label` is not enough. */
  name?: string;
}

export function Toggle({ label, on, change, disabled = false, name }: ToggleProps) {
  return (
    <label class={`toggle ${disabled ? "toggle-off" : ""}`}>
      <input
        type="checkbox"
        role="switch"
        checked={on}
        disabled={disabled}
        aria-label={name}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      <span class="toggle-track" aria-hidden="true" />
      {label ? <span>{label}</span> : null}
    </label>
  );
}

/** A few choices side by side, each on or off. */
interface ChipsProps {
  label: string;
  choices: readonly Choice[];
  on: ReadonlySet<string>;
  change: (on: ReadonlySet<string>) => void;
}

export function Chips({ label, choices, on, change }: ChipsProps) {
  const turn = (value: string) => {
    const next = new Set(on);
    if (!next.delete(value)) next.add(value);
    change(next);
  };
  return (
    <div class="chips" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          type="button"
          key={choice.value}
          class="chip"
          aria-pressed={on.has(choice.value)}
          onClick={() => turn(choice.value)}
        >
          {choice.tone ? <span class={`chip-dot mark-${choice.tone}`} /> : null}
          {choice.label}
        </button>
      ))}
    </div>
  );
}

/** A named value: a row of a details list. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
