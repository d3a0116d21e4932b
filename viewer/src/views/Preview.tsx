// What would be told to an agent at such a moment: the same behaviors, the same bytes. Nothing is journaled, and nothing
// counts as told.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { send } from "../api";
import { place } from "../router";
import { useAnswer } from "../state";
import type { Page, Workspace } from "../types";
import { Empty, Trouble, Waiting } from "../parts/Empty";
import { ViewHead } from "../parts/Layout";
import { Segments } from "../parts/Segments";
import { type Injectable, PreviewResult } from "./PreviewResult";

const EVENTS = [
  { value: "UserPromptSubmit", label: "A prompt" },
  { value: "SessionStart", label: "Session starts" },
  { value: "PreToolUse", label: "File is read" },
  { value: "PreCompact", label: "Compaction" },
  { value: "SubagentStart", label: "Subagent starts" },
];

const MEANINGS: Record<string, string> = {
  UserPromptSubmit: "What is put beside a prompt that somebody submits in this folder.",
  SessionStart: "What a session that starts in this folder is told.",
  PreToolUse: "What is said of a file before it is read.",
  PreCompact: "What the summary of a compaction is asked to keep.",
  SubagentStart: "What a subagent is told when it begins.",
};

/** As much as a prompt of a person has. */
const LONGEST_PROMPT = 20_000;

export function Preview() {
  const query = place.value.query;
  const workspaces = useAnswer<Page<Workspace>>("/workspaces", { limit: 200 });
  const [event, setEvent] = useState(query.get("event") ?? "UserPromptSubmit");
  const [prompt, setPrompt] = useState(query.get("prompt") ?? "");
  const [cwd, setCwd] = useState(query.get("cwd") ?? "");
  const [file, setFile] = useState(query.get("file") ?? "");
  const [state, setState] = useState<{ busy: boolean; result?: Injectable; error?: unknown }>({ busy: false });
  const round = useRef(0);
  const id = useId();
  const known = workspaces.data?.items ?? [];
  const folder = cwd !== "" ? cwd : (known[0]?.root ?? "");
  const needs = event === "UserPromptSubmit" ? prompt.trim() : event === "PreToolUse" ? file.trim() : "nothing";
  const isReady = folder !== "" && needs !== "";

  const show = async (): Promise<void> => {
    if (!isReady) return;
    round.current += 1;
    const mine = round.current;
    setState((before) => ({ ...before, busy: true, error: undefined }));
    const body: Record<string, string> = { event, cwd: folder };
    if (event === "UserPromptSubmit") body["prompt"] = prompt;
    if (event === "PreToolUse") [body["tool"], body["file"]] = ["Read", file.trim()];
    try {
      const { body: result } = await send<Injectable>("POST", "/context", body);
      if (mine === round.current) setState({ busy: false, result });
    } catch (error) {
      if (mine === round.current) setState({ busy: false, error });
    }
  };
  // Where nothing has to be written, the answer is there at once.
  useEffect(() => {
    setState({ busy: false });
    if (event !== "UserPromptSubmit" && event !== "PreToolUse") void show();
  }, [event, folder]);

  return (
    <section class="view" data-view="preview">
      <ViewHead title="Preview" note="What would be told here" />
      <div class="view-body preview">
        <form
          class="panel preview-form"
          onSubmit={(submitted) => {
            submitted.preventDefault();
            void show();
          }}
        >
          <Segments label="Event" value={event} choices={EVENTS} change={setEvent} />
          <p class="muted">{MEANINGS[event] ?? ""}</p>
          <span class="labeled">
            <label for={`${id}-cwd`}>Folder</label>
            {known.length > 0 ? (
              <select
                id={`${id}-cwd`}
                class="input"
                value={folder}
                onChange={(changed) => setCwd(changed.currentTarget.value)}
              >
                {cwd !== "" && !known.some((one) => one.root === cwd) ? <option value={cwd}>{cwd}</option> : null}
                {known.map((one) => (
                  <option key={one.key} value={one.root}>
                    {one.project ? `${one.project} · ${one.root}` : one.root}
                  </option>
                ))}
              </select>
            ) : (
              <input
                id={`${id}-cwd`}
                class="input mono"
                placeholder="the folder of a project"
                spellcheck={false}
                value={cwd}
                onInput={(changed) => setCwd(changed.currentTarget.value)}
              />
            )}
          </span>
          {event === "UserPromptSubmit" ? (
            <span class="labeled">
              <label for={`${id}-prompt`}>Prompt</label>
              <textarea
                id={`${id}-prompt`}
                class="input"
                rows={4}
                maxLength={LONGEST_PROMPT}
                placeholder="the login test is flaky"
                value={prompt}
                onInput={(changed) => setPrompt(changed.currentTarget.value)}
                onKeyDown={(pressed) => {
                  if (pressed.key === "Enter" && (pressed.ctrlKey || pressed.metaKey)) void show();
                }}
              />
            </span>
          ) : null}
          {event === "PreToolUse" ? (
            <span class="labeled">
              <label for={`${id}-file`}>File</label>
              <input
                id={`${id}-file`}
                class="input mono"
                placeholder="src/login.rs"
                autocomplete="off"
                spellcheck={false}
                value={file}
                onInput={(changed) => setFile(changed.currentTarget.value)}
              />
            </span>
          ) : null}
          <div class="form-buttons">
            {event === "UserPromptSubmit" ? (
              <span class="faint preview-hint">
                <kbd>ctrl</kbd> <kbd>↵</kbd>
              </span>
            ) : null}
            <button type="submit" class="button button-main" disabled={!isReady || state.busy}>
              Show what would be told
            </button>
          </div>
        </form>
        <div class="preview-result" aria-live="polite" aria-busy={state.busy}>
          {state.error !== undefined ? (
            <Trouble error={state.error} retry={() => void show()} />
          ) : state.result !== undefined ? (
            <PreviewResult result={state.result} />
          ) : state.busy ? (
            <Waiting rows={6} />
          ) : (
            <Empty icon="preview" title="Nothing asked yet">
              <p>
                {event === "PreToolUse" ? "Name a file." : "Write a prompt as you would to an agent."} Nothing of this
                counts as told.
              </p>
            </Empty>
          )}
        </div>
      </div>
    </section>
  );
}
