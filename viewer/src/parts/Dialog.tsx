// Questions that need an answer before anything goes on. The browser's own dialog: it keeps the focus, closes with Escape
// and gives the focus back.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { explain } from "../api";
import { Icon } from "./Kind";

interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
  /** The row of buttons. */
  actions?: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, close, children, actions, wide = false }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const element = box.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={`dialog ${wide ? "dialog-wide" : ""}`}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === box.current) close();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2 id={name}>{title}</h2>
          <button type="button" class="button-icon" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <div class="dialog-body">{children}</div>
        {actions ? <footer class="dialog-foot">{actions}</footer> : null}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  children: ComponentChildren;
  /** The word on the button: what will be done. */
  does: string;
  /** What has to be typed first, for what cannot be undone. */
  typed?: string;
  run: () => Promise<void>;
  close: () => void;
}

export function Confirm({ title, children, does, typed, run, close }: ConfirmProps) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const field = useId();
  const ready = !busy && (typed === undefined || text.trim() === typed);
  const go = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      close();
    } catch (trouble) {
      setError(trouble);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      close={close}
      actions={
        <>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="button" class="button button-bad" disabled={!ready} onClick={() => void go()}>
            {does}
          </button>
        </>
      }
    >
      {children}
      {typed === undefined ? null : (
        <form
          class="field"
          onSubmit={(event) => {
            event.preventDefault();
            if (ready) void go();
          }}
        >
          <label for={field}>
            Type <code>{typed}</code> to go on
          </label>
          <input
            id={field}
            class="input"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </form>
      )}
      {error === undefined ? null : (
        <p class="field-error" role="alert">
          {explain(error)}
        </p>
      )}
    </Dialog>
  );
}
