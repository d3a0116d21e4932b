// One of a few, side by side: a range, an order, a way to color. Arrow keys choose, as in any group of radio buttons.

import { useId } from "preact/hooks";

interface SegmentsProps {
  label: string;
  value: string;
  choices: readonly { value: string; label: string }[];
  change: (value: string) => void;
}

export function Segments({ label, value, choices, change }: SegmentsProps) {
  const name = useId();
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value} class="segment">
          <input
            type="radio"
            class="hidden"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => change(choice.value)}
          />
          <span>{choice.label}</span>
        </label>
      ))}
    </div>
  );
}
