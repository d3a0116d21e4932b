// Everything that can be set, with what it means and where its value comes from.

import { useState } from "preact/hooks";
import { useAnswer } from "../state";
import type { Page } from "../types";
import { Empty, Trouble, Waiting } from "../parts/Empty";
import { SearchField } from "../parts/Field";
import { ViewHead } from "../parts/Layout";
import { Segments } from "../parts/Segments";
import { type Behavior, BehaviorList } from "./SettingsBehaviors";
import { type Setting, SettingRow, says } from "./SettingsRow";

interface Group {
  name: string;
  title: string;
  about: string;
}

/** In the order in which people look for them; a key of no group is shown under its own first word. */
const GROUPS: readonly Group[] = [
  { name: "recall", title: "Recall", about: "How much agents are told, and of what." },
  { name: "memory", title: "Memory", about: "How much is kept, and for how long." },
  { name: "capture", title: "Capture", about: "Which work is recorded." },
  { name: "redact", title: "Redaction", about: "What is taken out before anything is written." },
  { name: "distill", title: "Distilling", about: "Whether a model improves on what was kept, and what it may cost." },
  { name: "embed", title: "Search model", about: "Who reads memories and questions to compare their meaning." },
  { name: "journal", title: "Journal", about: "What was acknowledged, and how long it stays." },
  { name: "archive", title: "Archive", about: "Conversations that are kept." },
  { name: "logs", title: "Logs", about: "The daemon's own log." },
  { name: "http", title: "This page's door", about: "Who may come in over HTTP." },
  { name: "watch", title: "Watching", about: "Agents without hooks, whose conversations are read." },
];

const BEHAVIORS = "behaviors";

const SHOWN = [
  { value: "all", label: "All" },
  { value: "changed", label: "Changed" },
];

export function Settings() {
  const settings = useAnswer<Page<Setting>>("/settings");
  const behaviors = useAnswer<Page<Behavior>>("/behaviors");
  const [text, setText] = useState("");
  const [shown, setShown] = useState("all");
  const reload = (): void => {
    settings.reload();
    behaviors.reload();
  };
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const fits = (...texts: string[]): boolean => {
    const all = texts.join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const isShown = (origin: string | null | undefined): boolean =>
    shown === "all" || (origin ?? "default").toLowerCase() !== "default";
  const rows = (settings.data?.items ?? []).filter(
    (one) => !one.key.startsWith(`${BEHAVIORS}.`) && isShown(one.origin) && fits(one.key, one.manual, says(one.value)),
  );
  const switches = (behaviors.data?.items ?? []).filter(
    (one) => isShown(one.origin) && fits(one.name, one.manual, BEHAVIORS),
  );
  const groups = grouped(rows);
  const titles = [...(switches.length > 0 ? [BEHAVIORS] : []), ...groups.map(({ group }) => group.name)];

  return (
    <section class="view" data-view="settings">
      <ViewHead title="Settings">
        <SearchField label="Search in settings" value={text} change={setText} main />
        <Segments label="Show" value={shown} choices={SHOWN} change={setShown} />
      </ViewHead>
      <div class="view-body">
        {settings.error !== undefined && settings.data === undefined ? (
          <Trouble error={settings.error} retry={settings.reload} />
        ) : settings.data === undefined ? (
          <Waiting rows={10} />
        ) : titles.length === 0 ? (
          <Empty icon="settings" title="No such setting">
            <p>
              {shown === "changed" && text === ""
                ? "Everything is as it came."
                : "Try another word, or show all of them."}
            </p>
          </Empty>
        ) : (
          <div class="settings">
            <nav class="settings-nav" aria-label="Groups of settings">
              {titles.map((name) => (
                <button type="button" key={name} class="settings-jump" onClick={() => jump(name)}>
                  {name === BEHAVIORS
                    ? "Behaviors"
                    : (groups.find(({ group }) => group.name === name)?.group.title ?? name)}
                </button>
              ))}
            </nav>
            <div class="settings-groups">
              {switches.length > 0 ? (
                <section id={`settings-${BEHAVIORS}`} tabIndex={-1} class="settings-group" aria-label="Behaviors">
                  <h2>Behaviors</h2>
                  <p class="settings-about">What throughline does by itself. Each can be switched off alone.</p>
                  <BehaviorList behaviors={switches} changed={reload} />
                </section>
              ) : null}
              {groups.map(({ group, settings: own }) => (
                <section
                  key={group.name}
                  id={`settings-${group.name}`}
                  tabIndex={-1}
                  class="settings-group"
                  aria-label={group.title}
                >
                  <h2>{group.title}</h2>
                  {group.about ? <p class="settings-about">{group.about}</p> : null}
                  <ul class="setting-list">
                    {own.map((setting) => (
                      <SettingRow key={setting.key} setting={setting} changed={reload} />
                    ))}
                  </ul>
                </section>
              ))}
            </div>
          </div>
        )}
      </div>
    </section>
  );
}

function grouped(settings: readonly Setting[]): { group: Group; settings: Setting[] }[] {
  const prefix = (key: string): string => key.split(".", 1)[0] ?? key;
  const known = new Set(GROUPS.map((group) => group.name));
  const others = [...new Set(settings.map((one) => prefix(one.key)).filter((name) => !known.has(name)))];
  const all = [...GROUPS, ...others.map((name) => ({ name, title: name, about: "" }))];
  return all
    .map((group) => ({ group, settings: settings.filter((one) => prefix(one.key) === group.name) }))
    .filter(({ settings: own }) => own.length > 0);
}

/** By script and not by address: the part behind `#` is the view's. */
function jump(name: string): void {
  const section = document.getElementById(`settings-${name}`);
  section?.scrollIntoView({ block: "start" });
  section?.focus({ preventScroll: true });
}
