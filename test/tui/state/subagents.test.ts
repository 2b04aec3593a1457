import { expect, test } from "vitest";
import { reduceEvent } from "../../../src/tui/state/reduce-event.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/state/view-state.ts";

type Event = Parameters<typeof reduceEvent>[1];

const payload = (id: string, goal: string) => ({
  goal,
  task_count: 2,
  task_index: 0,
  subagent_id: id,
});

const after = (...events: readonly Pick<Event, "type" | "payload">[]): ViewState =>
  // What a reduction looks at besides is whose an event is, which is one session's here.
  events.reduce<ViewState>(
    (view, event) => reduceEvent(view, { ...event, session_id: "s" } as Event, 0),
    EMPTY_VIEW,
  );

test("subagents keep their lines while they work, and leave a word when they are done", () => {
  const begun = [
    { type: "subagent.spawn_requested", payload: { ...payload("a", "count"), text: "count" } },
    { type: "subagent.start", payload: { ...payload("a", "count"), text: "count", tool_count: 0 } },
    { type: "subagent.start", payload: { ...payload("b", "read"), text: "read", tool_count: 0 } },
    {
      type: "subagent.tool",
      payload: { ...payload("a", "count"), tool_name: "look", tool_preview: "Look at x", tool_count: 1 },
    },
  ] as const;
  expect(after(...begun).subagents).toMatchObject([
    { id: "a", goal: "count", doing: "Look at x", tools: 1 },
    { id: "b", goal: "read", doing: "", tools: 0 },
  ]);
  const done = after(...begun, {
    type: "subagent.complete",
    payload: { ...payload("a", "count"), status: "timeout" },
  });
  expect(done.subagents).toMatchObject([{ id: "b" }]);
  expect(done.finished).toMatchObject([
    { entry: { kind: "note", tone: "warn", text: "Subagent timeout: count" } },
  ]);
});
