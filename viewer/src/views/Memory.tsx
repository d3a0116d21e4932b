import { ViewHead } from "../parts/Layout";
import type { ViewProps } from "./index";

export function Memory({ id }: ViewProps) {
  return (
    <section class="view" data-view="memory">
      <ViewHead title={id} />
    </section>
  );
}
