import { ViewHead } from "../parts/Layout";

export function Sessions() {
  return (
    <section class="view" data-view="sessions">
      <ViewHead title="Sessions" />
    </section>
  );
}
