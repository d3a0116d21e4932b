import { ViewHead } from "../parts/Layout";

export function Live() {
  return (
    <section class="view" data-view="live">
      <ViewHead title="Live" />
    </section>
  );
}
