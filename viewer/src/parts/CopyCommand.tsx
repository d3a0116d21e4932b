// A command to run in a terminal, with a button that copies it. The page runs nothing by itself.

import { useState } from "preact/hooks";
import { Icon } from "./Kind";
import { say } from "./Toast";

const SHOWN_MS = 1_500;

export function CopyCommand({ command }: { command: string }) {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      setDone(true);
      window.setTimeout(() => setDone(false), SHOWN_MS);
    } catch {
      say("The browser does not let this page copy; select the command instead.", true);
    }
  };
  return (
    <span class="copy-command">
      <code>{command}</code>
      <button
        type="button"
        class="button-icon"
        aria-label={`Copy: ${command}`}
        title="Copy"
        onClick={() => void copy()}
      >
        <Icon name={done ? "check" : "copy"} size={14} />
      </button>
      <span class="hidden" role="status">
        {done ? "Copied" : ""}
      </span>
    </span>
  );
}
