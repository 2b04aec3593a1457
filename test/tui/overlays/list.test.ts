import { expect, test } from "vitest";
import { visibleItems } from "../../../src/tui/overlays/list.ts";
import type { ListOverlay } from "../../../src/tui/overlays/overlay.ts";

test("what a search found follows the items that match by name, once, and only for what it was for", () => {
  const item = (id: string, label: string) => ({ id, label, detail: "" });
  const overlay: ListOverlay = {
    kind: "list",
    list: "sessions",
    title: "Sessions",
    keys: "",
    items: [item("a", "The parser"), item("b", "Something else"), item("c", "The parser, again")],
    filter: "parser",
    found: { filter: "parser", items: [item("c", "The parser, again"), item("b", "Something else")] },
    chosen: 0,
    loading: false,
  };
  const ids = (more: Partial<ListOverlay> = {}) => visibleItems({ ...overlay, ...more }).map(({ id }) => id);
  expect(ids()).toEqual(["a", "c", "b"]);
  expect(ids({ filter: "parse" })).toEqual(["a", "c"]);
  expect(ids({ filter: "" })).toEqual(["a", "b", "c"]);
});
