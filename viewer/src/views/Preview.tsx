import { ViewHead } from "../parts/Layout";

export function Preview() {
  return (
    <section class="view" data-view="preview">
      <ViewHead title="Preview" />
    </section>
  );
}
