import { expect, test } from "vitest";
import type { Attached } from "../../../src/tui/gateway.ts";
import { attachView } from "../../../src/tui/state/attach.ts";
import { reduceEvent } from "../../../src/tui/state/reduce-event.ts";
import { runningBeside } from "../../../src/tui/state/processes.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/state/view-state.ts";

const process = (process_id: string) => ({ process_id, command: `run ${process_id}`, started_at: 1 });

const attached = (beside: Pick<Attached, "processes" | "background">): Attached =>
  // Only what is looked at without a conversation.
  ({
    session_id: "s",
    info: { usage: {} },
    messages: [],
    message_count: 0,
    inflight: null,
    running: false,
    open_requests: [],
    ...beside,
  }) as unknown as Attached;

const attach = (view: ViewState, beside: Parameters<typeof attached>[0]): ViewState =>
  attachView(view, attached(beside), { at: 0, print: false });

const begun = (view: ViewState, id: string): ViewState =>
  reduceEvent(view, { type: "process.start", payload: process(id) }, 0);

const over = (view: ViewState, id: string, more: { heard?: true; with_host?: true } = {}): ViewState => {
  const payload = { process_id: id, command: `run ${id}`, exit_code: 0, ...more };
  return reduceEvent(view, { type: "process.complete", payload }, 0);
};

test("who attaches counts what runs, and what is told once more is counted once", () => {
  const task = { task_id: "bg_t", text: "think" };
  const view = attach(EMPTY_VIEW, { processes: [process("a"), process("b")], background: [task] });
  expect(runningBeside(view)).toBe(3);
  const again = begun(begun(view, "a"), "c");
  expect(runningBeside(again)).toBe(4);
  const started = reduceEvent(again, { type: "background.start", payload: task }, 0);
  expect(runningBeside(started)).toBe(4);
  expect(over(started, "a").processes.map(({ id }) => id)).toEqual(["b", "c"]);
  // What ended while the connection was lost is gone, too.
  expect(runningBeside(attach(started, { processes: [], background: [] }))).toBe(0);
});

test("an older gateway that does not say leaves the count as it was", () => {
  expect(runningBeside(attach(attach(begun(EMPTY_VIEW, "a"), {}), {}))).toBe(0);
  const shown = attach(EMPTY_VIEW, {});
  expect(runningBeside(attach(begun(shown, "a"), {}))).toBe(1);
});

test("an end is said, unless the call that waited for it says it", () => {
  const view = begun(EMPTY_VIEW, "a");
  expect(over(view, "a", { heard: true })).toMatchObject({ finished: [], processes: [] });
  expect(over(view, "a").finished).toMatchObject([
    {
      entry: {
        tone: "ok",
        text: "A command in the background ended with exit code 0: run a · /processes shows what it printed",
      },
    },
  ]);
  expect(over(view, "a", { with_host: true }).finished).toMatchObject([
    { entry: { text: "A command in the background ended with the agent that ran it: run a" } },
  ]);
});
