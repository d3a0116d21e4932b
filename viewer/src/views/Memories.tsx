import { ViewHead } from "../parts/Layout";

export function Memories() {
  return (
    <section class="view" data-view="memories">
      <ViewHead title="Memories" />
    </section>
  );
}
