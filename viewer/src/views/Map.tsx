import { ViewHead } from "../parts/Layout";

export function Map() {
  return (
    <section class="view" data-view="map">
      <ViewHead title="Map" />
    </section>
  );
}
