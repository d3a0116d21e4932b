// One setting: what it means, what it is and where that comes from, and the control that fits it. What the page may not
// change says why, and how a terminal does.

import type { TargetedInputEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { explain, segment, send } from "../api";
import { Badge, type Tone } from "../parts/Badge";
import { CopyCommand } from "../parts/CopyCommand";
import { Toggle } from "../parts/Field";
import { Prose } from "../parts/Prose";
import { say } from "../parts/Toast";

export type Value = boolean | number | string | string[] | null;

export interface Setting {
  key: string;
  value: Value;
  default: Value;
  kind: string;
  choices?: string[] | null;
  manual: string;
  origin: string;
  place?: string | null;
  changeable: boolean;
  why_not?: string | null;
  secret?: boolean;
  /** After a change: what your file says does not hold, because this says otherwise. */
  overruled_by?: string | null;
}

const ORIGINS: Record<string, { says: string; tone: Tone }> = {
  default: { says: "default", tone: "quiet" },
  user: { says: "your file", tone: "accent" },
  project: { says: "project", tone: "blue" },
  environment: { says: "environment", tone: "warn" },
  flag: { says: "flag", tone: "warn" },
};

export function OriginBadge({ origin, place }: { origin: string; place: string | null }) {
  const known = ORIGINS[origin.toLowerCase()] ?? { says: origin, tone: "quiet" as const };
  return (
    <Badge tone={known.tone} title={place ? `from ${place}` : undefined}>
      {known.says}
    </Badge>
  );
}

export function SettingRow({ setting, changed }: { setting: Setting; changed: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const origin = setting.origin.toLowerCase();
  const isAbove = origin === "environment" || origin === "project" || origin === "flag";
  const path = `/settings/${segment(setting.key)}`;
  const run = async (does: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(true);
    setError("");
    try {
      await does();
      say(done);
      changed();
    } catch (trouble) {
      setError(explain(trouble));
    }
    setBusy(false);
  };
  const save = (value: Value) =>
    run(
      async () => {
        const { body } = await send<Setting>("PUT", path, { value });
        if (body.overruled_by) say(`It is in your file, but ${body.overruled_by} says otherwise`, true);
      },
      `${setting.key} is ${says(value)}`,
    );
  const reset = () => run(() => send("DELETE", path), `${setting.key} is back to its default`);
  return (
    <li class="setting" data-id={setting.key}>
      <div class="setting-words">
        <h3 class="setting-key">
          {setting.key}
          <OriginBadge origin={setting.origin} place={setting.place ?? null} />
        </h3>
        <p class="setting-manual">
          <Prose text={setting.manual} />
        </p>
        {isAbove ? (
          <p class="setting-remark">
            {origin === "project" ? "The project's file" : `The ${origin}`} decides this
            {setting.place ? ` (${setting.place})` : ""}; a value in your file does not hold meanwhile.
          </p>
        ) : null}
        {setting.changeable ? null : (
          <div class="setting-remark">
            <p>{because(setting.why_not)}</p>
            <CopyCommand command={`throughline config set ${setting.key} VALUE`} />
          </div>
        )}
        {error ? (
          <p class="field-error" role="alert">
            {error}
          </p>
        ) : null}
      </div>
      <div class="setting-control">
        {setting.changeable ? (
          <Control setting={setting} busy={busy} save={(value) => void save(value)} />
        ) : (
          <code class="setting-value">{setting.secret ? "kept secret" : says(setting.value)}</code>
        )}
        {setting.changeable && origin === "user" ? (
          <button type="button" class="button button-small" disabled={busy} onClick={() => void reset()}>
            Reset to {says(setting.default)}
          </button>
        ) : null}
      </div>
    </li>
  );
}

interface ControlProps {
  setting: Setting;
  busy: boolean;
  save: (value: Value) => void;
}

function Control({ setting, busy, save }: ControlProps) {
  const { key, value, choices } = setting;
  if (typeof value === "boolean") {
    return <Toggle label={value ? "On" : "Off"} name={key} on={value} disabled={busy} change={save} />;
  }
  if (choices && choices.length > 0) {
    return (
      <select
        class="input"
        aria-label={key}
        disabled={busy}
        value={String(value)}
        onChange={(event) => save(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  return <Typed setting={setting} busy={busy} save={save} />;
}

/** A value that is written: kept by Enter or the button, not while it is half typed. */
function Typed({ setting, busy, save }: ControlProps) {
  const { key, value } = setting;
  const kept = Array.isArray(value) ? value.join("\n") : String(value ?? "");
  const [text, setText] = useState(kept);
  useEffect(() => setText(kept), [kept]);
  const isNumber = typeof value === "number";
  const isChanged = text !== kept;
  const keep = (event?: Event): void => {
    event?.preventDefault();
    if (!isChanged) return;
    if (Array.isArray(value))
      save(
        text
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => line !== ""),
      );
    else save(isNumber ? Number(text) : text);
  };
  const line = {
    class: "input",
    "aria-label": key,
    placeholder: "none",
    autocomplete: "off",
    spellcheck: false,
    value: text,
    disabled: busy,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => setText(event.currentTarget.value),
  };
  const size = isNumber ? bytes(key, Number(text)) : "";
  return (
    <form class="setting-form" onSubmit={keep}>
      {Array.isArray(value) ? (
        <textarea
          class="input"
          aria-label={`${key}, one a line`}
          rows={Math.min(6, Math.max(2, value.length))}
          placeholder="one a line"
          spellcheck={false}
          value={text}
          disabled={busy}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <>{isNumber ? <input type="number" {...line} /> : <input type="text" {...line} />}</>
      )}
      {size ? <span class="setting-size">{size}</span> : null}
      {isChanged ? (
        <span class="setting-buttons">
          <button type="button" class="button button-small" onClick={() => setText(kept)}>
            Undo
          </button>
          <button
            type="submit"
            class="button button-small button-main"
            disabled={busy || (isNumber && !Number.isSafeInteger(Number.parseFloat(text)))}
          >
            Save
          </button>
        </span>
      ) : null}
    </form>
  );
}

/** The reason alone: the command that does it stands below. */
function because(why: string | null | undefined): string {
  const [reason = ""] = (why ?? "").split("; run ");
  return reason === "" ? "This is not changed from a page." : `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

export function says(value: Value): string {
  if (value === null || value === "") return "none";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  return String(value);
}

/** Sizes are set in bytes, and read in larger units. */
function bytes(key: string, value: number): string {
  if (!key.endsWith("-bytes") || !(value >= 1024)) return "";
  const power = Math.min(3, Math.floor(Math.log2(value) / 10));
  return `${Number((value / 1024 ** power).toFixed(1))} ${["B", "KiB", "MiB", "GiB"][power] ?? ""}`;
}
