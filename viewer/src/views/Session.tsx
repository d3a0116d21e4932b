import { ViewHead } from "../parts/Layout";
import type { ViewProps } from "./index";

export function Session({ id }: ViewProps) {
  return (
    <section class="view" data-view="session">
      <ViewHead title={id} />
    </section>
  );
}
