import { ViewHead } from "../parts/Layout";

export function Health() {
  return (
    <section class="view" data-view="health">
      <ViewHead title="Health" />
    </section>
  );
}
