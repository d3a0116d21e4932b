// Light, dark, or what the system says. The choice lives in this browser alone.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "throughline-theme";
const ORDER: readonly Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>(stored());

effect(() => {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme.value;
  try {
    window.localStorage.setItem(KEY, theme.value);
  } catch {
    // A browser that keeps nothing still shows the theme until the page is closed.
  }
});

export function turn() {
  theme.value = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length] ?? "system";
}

function stored(): Theme {
  try {
    const text = window.localStorage.getItem(KEY);
    return ORDER.find((each) => each === text) ?? "system";
  } catch {
    return "system";
  }
}
