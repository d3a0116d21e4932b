// Writes a memory, or changes one. The daemon redacts what is sent like everything else it keeps.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, explain, send, segment } from "../api";
import type { Memory } from "../types";
import { Toggle } from "./Field";

/** As the daemon takes it; more is a document and is imported. */
const LONGEST_TEXT = 65_536;
const LONGEST_TITLE = 200;

interface EditFormProps {
  memory: Memory;
  /** The ETag under which it was read. */
  etag: string | undefined;
  done: (memory: Memory) => void;
  cancel: () => void;
  /** Loads what is there now, after somebody else changed it. */
  reload: () => void;
}

/** Changes title, text and weight. If somebody was faster, nothing is overwritten: both versions stay readable. */
export function EditForm({ memory, etag, done, cancel, reload }: EditFormProps) {
  const [title, setTitle] = useState(memory.title);
  const [text, setText] = useState(memory.text);
  const [pinned, setPinned] = useState(memory.pinned);
  const [critical, setCritical] = useState(memory.critical);
  // The version this form began with: a newer one that arrives meanwhile must not pass for it.
  const began = useRef({ memory, etag }).current;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isConflict = error instanceof ApiError && error.status === 412;
  const changesOf = (): Record<string, string | boolean> => {
    const changes: Record<string, string | boolean> = {};
    if (title.trim() !== began.memory.title) changes["title"] = title.trim();
    if (text !== began.memory.text) changes["text"] = text;
    if (pinned !== began.memory.pinned) changes["pinned"] = pinned;
    if (critical !== began.memory.critical) changes["critical"] = critical;
    return changes;
  };
  // What somebody has written is not thrown away by a key.
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    if (Object.keys(changesOf()).length === 0) cancel();
  };
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const changes = changesOf();
    if (Object.keys(changes).length === 0) return cancel();
    setBusy(true);
    setError(undefined);
    try {
      const { body } = await send<Memory>("PATCH", `/memories/${segment(memory.id)}`, changes, began.etag);
      done(body);
    } catch (trouble) {
      setError(trouble);
      setBusy(false);
    }
  };
  return (
    <form class="memory-form" onSubmit={(event) => void save(event)} onKeyDown={escape}>
      <Words {...{ title, setTitle, text, setText }} titleNeeded focus />
      <Weight {...{ pinned, setPinned, critical, setCritical }} />
      {isConflict ? (
        <div class="notice notice-warn" role="alert">
          <p>
            <strong>Somebody changed this memory meanwhile.</strong> Nothing of yours was written. Copy what you need,
            then load what is there now.
          </p>
          <button type="button" class="button" onClick={reload}>
            Load what is there now
          </button>
        </div>
      ) : error === undefined ? null : (
        <p class="field-error" role="alert">
          {explain(error)}
        </p>
      )}
      <div class="form-buttons">
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <button type="submit" class="button button-main" disabled={busy || text.trim() === "" || title.trim() === ""}>
          Save
        </button>
      </div>
    </form>
  );
}

interface NewFormProps {
  projects: readonly string[];
  kinds: readonly string[];
  /** `known`: the same words were kept already. */
  done: (memory: Memory, known: boolean) => void;
  cancel: () => void;
}

export function NewForm({ projects, kinds, done, cancel }: NewFormProps) {
  const [title, setTitle] = useState("");
  const [text, setText] = useState("");
  const [kind, setKind] = useState("note");
  const [project, setProject] = useState("");
  const [files, setFiles] = useState("");
  const [pinned, setPinned] = useState(false);
  const [critical, setCritical] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const id = useId();
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const named = files
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    const body: Record<string, unknown> = { text, kind, pinned, critical };
    if (title.trim() !== "") body["title"] = title.trim();
    if (project.trim() === "") body["global"] = true;
    else body["project"] = project.trim();
    if (named.length > 0) body["files"] = named;
    try {
      const { status, body: memory } = await send<Memory>("POST", "/memories", body);
      done(memory, status === 200);
    } catch (trouble) {
      setError(trouble);
      setBusy(false);
    }
  };
  return (
    <form class="memory-form" onSubmit={(event) => void save(event)}>
      <Words {...{ title, setTitle, text, setText }} focus />
      <div class="form-row">
        <span class="labeled">
          <label for={`${id}-kind`}>Kind</label>
          <select id={`${id}-kind`} class="input" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            {kinds.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </span>
        <span class="labeled grow">
          <label for={`${id}-project`}>Project</label>
          <input
            id={`${id}-project`}
            class="input"
            list={`${id}-projects`}
            placeholder="none: it holds everywhere"
            autocomplete="off"
            value={project}
            onInput={(event) => setProject(event.currentTarget.value)}
          />
          <datalist id={`${id}-projects`}>
            {projects.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </span>
      </div>
      <span class="labeled">
        <label for={`${id}-files`}>Files it is about, one a line</label>
        <textarea
          id={`${id}-files`}
          class="input mono"
          rows={2}
          spellcheck={false}
          value={files}
          onInput={(event) => setFiles(event.currentTarget.value)}
        />
      </span>
      <Weight {...{ pinned, setPinned, critical, setCritical }} />
      {error === undefined ? null : (
        <p class="field-error" role="alert">
          {explain(error)}
        </p>
      )}
      <div class="form-buttons">
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <button type="submit" class="button button-main" disabled={busy || text.trim() === ""}>
          Remember
        </button>
      </div>
    </form>
  );
}

interface WordsProps {
  title: string;
  setTitle: (title: string) => void;
  text: string;
  setText: (text: string) => void;
  titleNeeded?: boolean;
  focus?: boolean;
}

function Words({ title, setTitle, text, setText, titleNeeded = false, focus = false }: WordsProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (focus) box.current?.focus();
  }, []);
  return (
    <>
      <span class="labeled">
        <label for={`${id}-title`}>Title{titleNeeded ? "" : " (its first words, if you give none)"}</label>
        <input
          id={`${id}-title`}
          class="input"
          maxLength={LONGEST_TITLE}
          autocomplete="off"
          value={title}
          required={titleNeeded}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </span>
      <span class="labeled">
        <label for={`${id}-text`}>Text</label>
        <textarea
          id={`${id}-text`}
          class="input"
          rows={8}
          maxLength={LONGEST_TEXT}
          required
          value={text}
          ref={box}
          // A dialog that opens gives the focus to this.
          autofocus={focus}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </span>
    </>
  );
}

interface WeightProps {
  pinned: boolean;
  setPinned: (pinned: boolean) => void;
  critical: boolean;
  setCritical: (critical: boolean) => void;
}

function Weight({ pinned, setPinned, critical, setCritical }: WeightProps) {
  return (
    <div class="memory-weight">
      <Toggle on={pinned} change={setPinned} label={<Meaning name="Pinned" says="never dropped to make room" />} />
      <Toggle on={critical} change={setCritical} label={<Meaning name="Critical" says="every session is told" />} />
    </div>
  );
}

function Meaning({ name, says }: { name: string; says: string }) {
  return (
    <>
      {name} <span class="faint">{says}</span>
    </>
  );
}
