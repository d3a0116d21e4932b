// Where the page begins.

import { render } from "preact";
import { listen } from "./keys";
import { collect } from "./live";
import { Layout } from "./parts/Layout";
import { start } from "./stream";
import "./theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/live.css";
import "./styles/sessions.css";
import "./styles/session.css";
import "./styles/search.css";
import "./styles/memories.css";
import "./styles/preview.css";
import "./styles/now.css";
import "./styles/patterns.css";
import "./styles/map.css";
import "./styles/charts.css";
import "./styles/settings.css";
import "./styles/health.css";

const app = document.getElementById("app");
if (app) {
  listen();
  collect();
  render(<Layout />, app);
  start();
}
