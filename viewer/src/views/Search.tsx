import { ViewHead } from "../parts/Layout";

export function Search() {
  return (
    <section class="view" data-view="search">
      <ViewHead title="Search" />
    </section>
  );
}
