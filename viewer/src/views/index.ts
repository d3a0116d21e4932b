// The list of all views: where each is, what it is called, which key goes there, and what draws it.

import type { ComponentType } from "preact";
import { Charts } from "./Charts";
import { Health } from "./Health";
import { Live } from "./Live";
import { Map } from "./Map";
import { Memories } from "./Memories";
import { Memory } from "./Memory";
import { Now } from "./Now";
import { Patterns } from "./Patterns";
import { Preview } from "./Preview";
import { Search } from "./Search";
import { Session } from "./Session";
import { Sessions } from "./Sessions";
import { Settings } from "./Settings";

export interface ViewProps {
  /** What stands behind the view's name in the address. */
  id: string;
}

export interface View {
  /** The first part of the address behind `#/`. */
  route: string;
  label: string;
  /** Behind `g`. */
  key: string;
  group: "Watch" | "Memory" | "Understand" | "House";
  draw: ComponentType;
  /** Draws `#/route/ID`. */
  one?: ComponentType<ViewProps>;
  /** Has a place in the bar at the bottom of a phone. */
  bar?: boolean;
}

export const VIEWS: readonly View[] = [
  { route: "live", label: "Live", key: "l", group: "Watch", draw: Live, bar: true },
  { route: "sessions", label: "Sessions", key: "s", group: "Watch", draw: Sessions, one: Session, bar: true },
  { route: "now", label: "Now", key: "n", group: "Watch", draw: Now },
  { route: "patterns", label: "Patterns", key: "t", group: "Watch", draw: Patterns },
  { route: "search", label: "Search", key: "f", group: "Memory", draw: Search, bar: true },
  { route: "memories", label: "Memories", key: "m", group: "Memory", draw: Memories, one: Memory, bar: true },
  { route: "preview", label: "Preview", key: "p", group: "Memory", draw: Preview },
  { route: "map", label: "Map", key: "a", group: "Understand", draw: Map },
  { route: "charts", label: "Charts", key: "c", group: "Understand", draw: Charts },
  { route: "settings", label: "Settings", key: "e", group: "House", draw: Settings },
  { route: "health", label: "Health", key: "h", group: "House", draw: Health },
];
