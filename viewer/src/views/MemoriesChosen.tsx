// What can be done to the chosen memories: keep them for ever, or forget them for good.

import { useState } from "preact/hooks";
import { explain, segment, send } from "../api";
import { Confirm } from "../parts/Dialog";
import { Icon } from "../parts/Kind";
import { many } from "../parts/Time";
import { say } from "../parts/Toast";

/** As many as the daemon forgets in one deed. */
const MOST = 500;
/** Requests under way at once when many are pinned: a browser has six connections, and one is the stream. */
const AT_ONCE = 4;

interface ChosenBarProps {
  ids: readonly string[];
  clear: () => void;
  changed: () => void;
}

export function ChosenBar({ ids, clear, changed }: ChosenBarProps) {
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const what = many(ids.length, "memory", "memories");
  const tooMany = ids.length > MOST;
  const pin = async (pinned: boolean): Promise<void> => {
    setBusy(true);
    const waiting = [...ids];
    let done = 0;
    const work = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        await send("POST", `/memories/${segment(id)}/pin`, { pinned });
        done += 1;
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      say(`${many(done, "memory", "memories")} ${pinned ? "pinned" : "unpinned"}`);
      clear();
    } catch (trouble) {
      say(`${done} of ${ids.length} done, then: ${explain(trouble)}`, true);
    }
    setBusy(false);
    changed();
  };
  const forget = async (): Promise<void> => {
    const { body } = await send<{ forgotten: string[] }>("POST", "/memories/forget", { ids });
    say(`${many(body.forgotten.length, "memory", "memories")} forgotten`);
    clear();
    changed();
  };
  return (
    <div class="chosen-bar" role="region" aria-label="Chosen memories">
      <span class="chosen-count" role="status">
        {what} chosen{tooMany ? `; at most ${MOST} at once` : ""}
      </span>
      <button type="button" class="button" disabled={busy || tooMany} onClick={() => void pin(true)}>
        <Icon name="pin" size={14} />
        Pin
      </button>
      <button type="button" class="button" disabled={busy || tooMany} onClick={() => void pin(false)}>
        Unpin
      </button>
      <button type="button" class="button button-bad" disabled={busy || tooMany} onClick={() => setAsks(true)}>
        <Icon name="trash" size={14} />
        Forget
      </button>
      <button type="button" class="button button-plain" onClick={clear}>
        Cancel
      </button>
      {asks ? (
        <Confirm
          title={`Forget ${what}?`}
          does={`Forget ${what}`}
          typed={ids.length > 1 ? String(ids.length) : undefined}
          run={forget}
          close={() => setAsks(false)}
        >
          <p>
            Their words, keys and vectors and the journal's entries leave this machine for good. Only that these ids
            must not come back is remembered. Agents are not told them again.
          </p>
        </Confirm>
      ) : null}
    </div>
  );
}
