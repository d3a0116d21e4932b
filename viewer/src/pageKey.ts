// The half of the key that is in the page and in no file of cookies: fetched once after a link was opened, kept by this tab,
// and said with every question. Another tab of the same page is told it; another page cannot ask.

const NAME = "throughline-page-key";
/** Another tab answers at once, or there is none. */
const TAB_PATIENCE_MS = 200;

let key = read();
let fetching: Promise<boolean> | null = null;

const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(NAME);
tabs?.addEventListener("message", (message) => {
  if (message.data === "which?" && key) tabs.postMessage({ key });
});

/** The header that every question says. */
export function keyHeaders(): Record<string, string> {
  return key ? { "X-Throughline-Page": key } : {};
}

export function hasKey(): boolean {
  return key !== "";
}

/** Gets a key that was not refused yet: from the daemon, which says it once, or from another tab. */
export function getKey(): Promise<boolean> {
  fetching ??= ask(key).finally(() => {
    fetching = null;
  });
  return fetching;
}

async function ask(refused: string): Promise<boolean> {
  const found = (await fromDaemon()) ?? (await fromTab(refused));
  if (!found || found === refused) return false;
  key = found;
  try {
    sessionStorage.setItem(NAME, key);
  } catch {
    // Then it lasts until the page is loaded again.
  }
  return true;
}

async function fromDaemon(): Promise<string | null> {
  try {
    const answer = await fetch("/api/v1/page-key", {
      method: "POST",
      headers: { "X-Throughline": "viewer" },
      credentials: "same-origin",
      cache: "no-store",
    });
    if (!answer.ok) return null;
    return ((await answer.json()) as { key?: string }).key ?? null;
  } catch {
    return null;
  }
}

function fromTab(refused: string): Promise<string | null> {
  const channel = tabs;
  if (!channel) return Promise.resolve(null);
  return new Promise((resolve) => {
    const end = (found: string | null) => {
      channel.removeEventListener("message", hear);
      window.clearTimeout(patience);
      resolve(found);
    };
    const hear = (message: MessageEvent) => {
      const said = (message.data as { key?: unknown } | null)?.key;
      if (typeof said === "string" && said !== refused) end(said);
    };
    const patience = window.setTimeout(() => end(null), TAB_PATIENCE_MS);
    channel.addEventListener("message", hear);
    channel.postMessage("which?");
  });
}

function read(): string {
  try {
    return sessionStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}
