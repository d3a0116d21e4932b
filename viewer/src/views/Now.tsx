import { ViewHead } from "../parts/Layout";

export function Now() {
  return (
    <section class="view" data-view="now">
      <ViewHead title="Now" />
    </section>
  );
}
