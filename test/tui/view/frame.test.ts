import { expect, test } from "vitest";
import { appState } from "../../../src/tui/state/app-state.ts";
import { DEFAULT_DISPLAY } from "../../../src/tui/state/display-settings.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/state/view-state.ts";
import { lineWidth } from "../../../src/tui/text/line.ts";
import { composeFrame } from "../../../src/tui/view/frame.ts";

const STATUSES = [
  "",
  "The model is overloaded; trying again in 12 s (attempt 3 of 5): the endpoint said that it has too many requests",
  "検索しています".repeat(30),
  "👩‍👩‍👧‍👦🙂".repeat(40),
];
const INDICATORS = ["unicode", "ascii", "emoji", "kaomoji"] as const;

test("no line of a frame is wider than the window, whatever is said and however narrow it is", () => {
  for (const status of STATUSES)
    for (const kind of INDICATORS)
      for (let columns = 8; columns <= 160; columns += 1) {
        const view: ViewState = {
          ...EMPTY_VIEW,
          connection: { status: "ready" },
          status,
          turn: { id: "t", startedAt: 0, doing: status, interrupting: false, said: 0 },
          queue: [{ id: "q", text: status, held: true }],
        };
        const state = {
          ...appState({ size: { columns, rows: 24 }, now: 5000, history: [] }),
          view,
          display: { ...DEFAULT_DISPLAY, indicator: kind },
          hint: columns % 3 === 0 ? status : "",
        };
        const widths = composeFrame(state, "/home/x").lines.map((each) => lineWidth(each));
        expect(Math.max(...widths), `${columns} columns, ${kind}`).toBeLessThanOrEqual(columns);
      }
});
