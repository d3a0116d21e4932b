// The frame around every view: places, state of the connection, keys, and where the focus goes when the place changes.

import { Component, type ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { connection } from "../api";
import { helpShown, known, useKeys, type Key } from "../keys";
import { go, place, to } from "../router";
import { flow } from "../stream";
import { theme, turn } from "../theme";
import { VIEWS, type View } from "../views/index";
import { Dialog } from "./Dialog";
import { Command, Empty, Trouble } from "./Empty";
import { Icon } from "./Kind";
import { Toasts } from "./Toast";

const NAME = "throughline";
const GROUPS = [...new Set(VIEWS.map((view) => view.group))];
const THEME_ICONS = { system: "system", light: "sun", dark: "moon" } as const;

export function Layout() {
  const here = place.value;
  const view = VIEWS.find((each) => each.route === here.view);
  const main = useRef<HTMLElement>(null);
  const arrived = useRef(false);

  const keys = useMemo<Key[]>(
    () => [
      { key: "?", does: "Show these keys", run: () => (helpShown.value = !helpShown.value) },
      { key: "/", does: "Search", run: search },
      { key: "t", does: "Change the theme", run: turn },
      ...VIEWS.map((each) => ({ key: `g ${each.key}`, does: `Go to ${each.label}`, run: () => go(to(each.route)) })),
    ],
    [],
  );
  useKeys(keys);

  useEffect(() => {
    document.title = view ? `${view.label} · ${NAME}` : NAME;
    // A new place begins at its own top, unless its view has put the focus somewhere itself; the first place is begun by
    // the browser.
    const taken = main.current?.contains(document.activeElement) && document.activeElement !== main.current;
    if (arrived.current && !taken) main.current?.focus({ preventScroll: true });
    arrived.current = true;
  }, [here.view, here.id]);

  return (
    <div class="frame">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Side here={here.view} />
      <Banner />
      <main class="main" id="main" ref={main} tabIndex={-1}>
        <Fence key={`${here.view} ${here.id ?? ""}`}>
          <Shown view={view} id={here.id} />
        </Fence>
      </main>
      <Bar here={here.view} />
      {helpShown.value ? <Help /> : null}
      <Toasts />
    </div>
  );
}

/** What goes wrong in one view stays in it: the places beside it still work. */
class Fence extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return <>{this.props.children}</>;
    return (
      <section class="view view-fixed" data-view="broken">
        <Trouble error={this.state.error} retry={() => this.setState({ error: undefined })} />
      </section>
    );
  }
}

/** The head of a view: its name, a note beside it, and what can be done. */
export function ViewHead({ title, note, children }: { title: ComponentChildren; note?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <header class="view-head">
      <h1>{title}</h1>
      {note ? <div class="view-note">{note}</div> : null}
      {children ? <div class="view-actions">{children}</div> : null}
    </header>
  );
}

function Shown({ view, id }: { view: View | undefined; id: string | null }) {
  if (!view) {
    return (
      <section class="view view-fixed" data-view="nowhere">
        <Empty icon="map" title="There is no such place">
          <a class="link" href={to("live")}>
            Go to what happens now
          </a>
        </Empty>
      </section>
    );
  }
  if (id !== null && view.one) {
    const One = view.one;
    return <One id={id} key={id} />;
  }
  const All = view.draw;
  return <All />;
}

function Side({ here }: { here: string }) {
  return (
    <nav class="side" aria-label="Places">
      <div class="brand">
        <img src="/assets/icon.svg" alt="" width={22} height={22} />
        {NAME}
      </div>
      <div class="places">
        {GROUPS.map((group) => (
          <div key={group}>
            <h2>{group}</h2>
            <ul>
              {VIEWS.filter((view) => view.group === group).map((view) => (
                <li key={view.route}>
                  <a class="place" href={to(view.route)} aria-current={view.route === here ? "page" : undefined}>
                    <Icon name={view.route} />
                    {view.label}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div class="side-foot">
        <FlowMark />
        <ThemeButton />
        <button type="button" class="button-icon" aria-label="Show the keys" title="Keys (?)" onClick={() => (helpShown.value = true)}>
          <Icon name="keyboard" />
        </button>
      </div>
    </nav>
  );
}

function ThemeButton() {
  const label = `Theme: ${theme.value}`;
  return (
    <button type="button" class="button-icon" aria-label={label} title={`${label} (t)`} onClick={turn}>
      <Icon name={THEME_ICONS[theme.value]} />
    </button>
  );
}

const FLOWS = { open: "live", waiting: "connecting", asleep: "asleep" } as const;

function FlowMark() {
  const state = connection.value === "fine" ? flow.value : "waiting";
  return (
    <span class={`flow flow-${state}`} title="the stream of what happens">
      <span class="flow-dot" />
      {connection.value === "fine" ? FLOWS[state] : "no answer"}
    </span>
  );
}

function Banner() {
  if (connection.value === "fine") return null;
  return (
    <div class="banner" role="status">
      <Icon name="failure" />
      {connection.value === "lost" ? (
        <span>
          The daemon does not answer; run <Command>throughline doctor</Command>
        </span>
      ) : (
        <span>
          This page may not look any more; run <Command>throughline view</Command>
        </span>
      )}
    </div>
  );
}

/** The places of a phone: the four most used, and the rest behind "More". */
function Bar({ here }: { here: string }) {
  const [more, setMore] = useState(false);
  const shown = VIEWS.filter((view) => view.bar);
  const rest = VIEWS.filter((view) => !view.bar);
  return (
    <nav class="bar" aria-label="Places">
      {shown.map((view) => (
        <a class="bar-place" key={view.route} href={to(view.route)} aria-current={view.route === here ? "page" : undefined}>
          <Icon name={view.route} size={18} />
          {view.label}
        </a>
      ))}
      <button
        type="button"
        class="bar-place"
        aria-haspopup="dialog"
        aria-current={rest.some((view) => view.route === here) ? "page" : undefined}
        onClick={() => setMore(true)}
      >
        <Icon name="more" size={18} />
        More
      </button>
      {more ? (
        <Dialog title="More places" close={() => setMore(false)}>
          <div class="more-list">
            {rest.map((view) => (
              <a
                class="place"
                key={view.route}
                href={to(view.route)}
                aria-current={view.route === here ? "page" : undefined}
                onClick={() => setMore(false)}
              >
                <Icon name={view.route} />
                {view.label}
              </a>
            ))}
          </div>
          <div class="flow">
            <FlowMark />
            <ThemeButton />
          </div>
        </Dialog>
      ) : null}
    </nav>
  );
}

/** Keys that lists have by themselves. */
const LIST_KEYS: readonly [string, string][] = [
  ["j k", "Next, previous row"],
  ["Enter", "Open the row"],
];

/** What stands on the key. */
const CAPS: Record<string, string> = { Escape: "esc", Enter: "↵", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

function Help() {
  const rows: [string, string][] = [...LIST_KEYS, ...known().map((key): [string, string] => [key.key, key.does])];
  return (
    <Dialog title="Keys" close={() => (helpShown.value = false)} wide>
      <ul class="key-list">
        {rows.map(([keys, does]) => (
          <li key={keys}>
            <span class="keys">
              {keys.split(" ").map((key) => (
                <kbd key={key}>{CAPS[key] ?? key}</kbd>
              ))}
            </span>
            {does}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Into the view's own search field if it has one, else to the search, which puts the focus into its own. */
function search() {
  const field = document.querySelector<HTMLInputElement>('[data-main="search"]');
  if (field) field.focus();
  else go(to("search"));
}
