import type { Client } from "../client.ts";
import type { PagerOverlay } from "./overlay.ts";

/** Shows a text over the composer. */
export function openPager({ store }: Client, pager: Omit<PagerOverlay, "kind" | "top">): void {
  store.update({ overlay: { kind: "pager", top: 0, ...pager } });
}
