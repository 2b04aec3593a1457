import { expect, test } from "vitest";
import { overlayLines } from "../../../src/tui/overlays/overlay-lines.ts";
import type { ListOverlay } from "../../../src/tui/overlays/overlay.ts";
import { lineText } from "../line-text.ts";

const list = (chosen: number): ListOverlay => ({
  kind: "list",
  list: "pick",
  title: "What runs without asking",
  keys: "Esc closes",
  items: [
    { id: "a", label: "Mode: all", detail: "runs everything without asking" },
    { id: "b", label: "Allowed: npm run everything that there is *", detail: "a command" },
  ],
  filter: "",
  chosen,
  loading: false,
});

const shown = (chosen: number, columns: number): readonly string[] =>
  overlayLines(list(chosen), { columns, rows: 12 }).lines.map((each) => lineText(each).trimEnd());

test("what is said of the marked choice is read whole where its line has no room for it", () => {
  expect(shown(0, 60)).toEqual([
    "What runs without asking  type to search",
    "",
    expect.stringMatching(/^❯ {3}Mode: all +runs everything with.*…$/),
    expect.stringMatching(/^ {4}Allowed: npm run everything t… +a command$/),
    "  runs everything without asking",
    "  Esc closes",
  ]);
  expect(shown(1, 60)).not.toContain("  runs everything without asking");
  expect(shown(0, 120)).toHaveLength(5);
});
