// Chooses the memory that holds instead of another: found by words, or named by its id.

import { useId, useState } from "preact/hooks";
import { explain, segment, send } from "../api";
import { useAnswer } from "../state";
import { Dialog } from "../parts/Dialog";
import { SearchField } from "../parts/Field";
import { KindMark } from "../parts/Kind";
import { Ago } from "../parts/Time";
import type { Hit } from "./Search";

const MOST = 8;
/** Twelve letters and digits name a memory. */
const ID = /^[0-9a-z]{12}$/;

interface SupersedeProps {
  id: string;
  title: string;
  close: () => void;
  done: () => void;
}

export function Supersede({ id, title, close, done }: SupersedeProps) {
  const [text, setText] = useState("");
  const [by, setBy] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const group = useId();
  const found = useAnswer<{ items: Hit[] }>(text === "" || ID.test(text) ? null : "/search", { q: text, limit: MOST });
  const hits = (found.data?.items ?? []).filter((hit) => hit.id !== id);
  const chosen = ID.test(text) ? text : by;
  const go = async (): Promise<void> => {
    setBusy(true);
    setError("");
    try {
      await send("POST", `/memories/${segment(id)}/supersede`, { by: chosen });
      done();
    } catch (trouble) {
      setError(explain(trouble));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="What holds instead?"
      close={close}
      wide
      actions={
        <>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            class="button button-main"
            disabled={busy || chosen === "" || chosen === id}
            onClick={() => void go()}
          >
            Supersede
          </button>
        </>
      }
    >
      <p>
        <strong>{title}</strong> stays, is found behind the one that holds, and is not told to agents any more.
      </p>
      <SearchField
        label="Words or an id of the memory that holds"
        value={text}
        change={(next) => setText(next.trim())}
      />
      {hits.length > 0 ? (
        <div class="pick-list" role="radiogroup" aria-label="Memories found">
          {hits.map((hit) => (
            <label key={hit.id} class="pick">
              <input type="radio" name={group} checked={by === hit.id} onChange={() => setBy(hit.id)} />
              <KindMark kind={hit.kind} />
              <span class="pick-title">{hit.title}</span>
              {hit.at > 0 ? <Ago at={hit.at} /> : null}
            </label>
          ))}
        </div>
      ) : text !== "" && found.data !== undefined ? (
        <p class="faint">Nothing fits; use other words.</p>
      ) : null}
      {error ? (
        <p class="field-error" role="alert">
          {error}
        </p>
      ) : null}
    </Dialog>
  );
}
