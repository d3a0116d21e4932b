import { ViewHead } from "../parts/Layout";

export function Settings() {
  return (
    <section class="view" data-view="settings">
      <ViewHead title="Settings" />
    </section>
  );
}
