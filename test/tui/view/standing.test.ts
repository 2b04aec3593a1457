import { expect, test } from "vitest";
import { DEFAULT_DISPLAY } from "../../../src/tui/state/display-settings.ts";
import type { ToolCard } from "../../../src/tui/state/entry.ts";
import { EMPTY_VIEW, type TodoItem, type ViewState } from "../../../src/tui/state/view-state.ts";
import { entryLines } from "../../../src/tui/view/entry-lines.ts";
import { liveLines } from "../../../src/tui/view/live-lines.ts";
import { reduceEvent } from "../../../src/tui/state/reduce-event.ts";
import { completeTool } from "../../../src/tui/state/tools.ts";
import type { Line } from "../../../src/tui/text/line.ts";

const text = (lines: readonly Line[]): readonly string[] =>
  lines
    .map((line) =>
      line
        .map((span) => span.text)
        .join("")
        .trimEnd(),
    )
    .filter((line) => line !== "");

const live = (
  view: Partial<ViewState>,
  options: Partial<Parameters<typeof liveLines>[1]> = {},
): readonly string[] =>
  text(
    liveLines(
      { ...EMPTY_VIEW, ...view },
      { columns: 100, rows: 20, now: 10_000, display: DEFAULT_DISPLAY, ...options },
    ),
  );

const TODOS: readonly TodoItem[] = ["completed", "in_progress", "pending", "pending"].map(
  (status, index) => ({ id: `${index}`, content: `step ${index}`, status }) as TodoItem,
);
const TURN = { id: "t", startedAt: 0, doing: "", said: 0, interrupting: false };

test("open steps stay in sight: whole while a turn runs, in a line without one and in a small window", () => {
  expect(live({ todos: TODOS, turn: TURN })).toContain("  ☐ step 3");
  expect(live({ todos: TODOS })).toEqual(["  ▸ step 1  1 of 4 steps done · /todos clear"]);
  const small = live({ todos: TODOS, turn: TURN }, { rows: 6 });
  expect(small.filter((line) => line.includes("step "))).toHaveLength(1);
  const done = TODOS.map((todo) => ({ ...todo, status: "completed" as const }));
  expect(live({ todos: done })).toEqual([]);
});

test("steps that a turn has not touched take a line only, also while a turn runs, and then none", () => {
  const rows = (todosIdle: number) => live({ todos: TODOS, turn: TURN, todosIdle });
  expect(rows(1)).toContain("  ☐ step 3");
  expect(rows(2)).toContain("  ▸ step 1  1 of 4 steps done · /todos clear");
  expect(rows(2)).not.toContain("  ☐ step 3");
  expect(rows(5).join("\n")).not.toContain("step");
  expect(live({ todos: TODOS, todosIdle: 5 })).toEqual([]);
});

const card = (name: string): ToolCard => ({
  id: "c",
  name,
  label: "make",
  startedAt: 0,
  preview: "",
  diff: "",
});

test("a command that takes long says which keys send it to the background", () => {
  expect(live({ tools: [card("terminal")] })[0]).toContain("Ctrl+B to the background");
  expect(live({ tools: [card("terminal")] }, { inTmux: true })[0]).toContain(
    "Ctrl+B Ctrl+B to the background",
  );
  expect(live({ tools: [card("terminal")] }, { now: 2000 })[0]).not.toContain("Ctrl+B");
  expect(live({ tools: [card("read")] })[0]).not.toContain("Ctrl+B");
});

test("the output of a command that runs is what its own terminal would show now", () => {
  let view: ViewState = {
    ...EMPTY_VIEW,
    shells: [{ id: "s", command: "make", output: "", startedAt: 0 }],
  };
  for (const text of ["\rprog 1", "\rprog 2\r", "\rprog 3\u001B[", "31m!"])
    view = reduceEvent(view, { type: "shell.output", payload: { stream_id: "s", text } }, 0);
  expect(live(view).slice(1)).toEqual(["  │ prog 3!"]);
});

const printed = (view: ViewState): readonly string[] =>
  view.finished.flatMap(({ entry }) => text(entryLines(entry, { columns: 80, display: DEFAULT_DISPLAY })));

test("what is announced as not shown is what was printed, not what was kept", () => {
  const kept = Array.from({ length: 2000 }, (_, index) => `line ${index}`).join("\n");
  const shell = {
    kind: "shell",
    command: "seq",
    output: kept,
    code: 0,
    stopped: false,
    lines: 1_000_000,
  } as const;
  const lines = text(entryLines(shell, { columns: 80, display: DEFAULT_DISPLAY }));
  expect(lines[1]).toContain("… 999,701 lines before");
  const result = `head\n[… some 9972000 of 10000000 bytes left out …]\n${kept}`;
  const payload = { tool_id: "c", name: "terminal", outcome: "ok", duration_s: 1, args: {}, result } as const;
  const after = completeTool({ ...EMPTY_VIEW, tools: [card("terminal")] }, payload);
  expect(printed(after).join("\n")).toContain("… 9,999,951 of 10,000,000 bytes before");
});
