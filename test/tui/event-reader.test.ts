import { expect, test } from "vitest";
import { EventReader } from "../../src/tui/event-reader.ts";
import type { ClientEvent, Gateway } from "../../src/tui/gateway.ts";
import { SessionController } from "../../src/tui/session-controller.ts";
import { appState } from "../../src/tui/state/app-state.ts";
import { ViewStore } from "../../src/tui/view-store.ts";

const NOW = 100_000;

/** The state once these events were read, all at one moment. */
async function read(...events: readonly object[]): Promise<ViewStore> {
  const store = new ViewStore(appState({ size: { columns: 80, rows: 24 }, now: NOW, history: [] }));
  const controller = new SessionController(store, () => NOW);
  const reader = new EventReader({ store, controller, now: () => NOW });
  async function* told(): AsyncGenerator<ClientEvent, void> {
    // Only what is looked at.
    for (const event of events) yield event as ClientEvent;
  }
  const ended = new AbortController();
  await reader.read({ events: told } as unknown as Gateway, { signal: ended.signal });
  await store.until(({ view }) => view.turn !== undefined, new AbortController().signal);
  return store;
}

const start = { turn_id: "t", prompt_id: "p", text: "go", images: 0, from: { surface: "gateway" } };
const call = { tool_id: "c", name: "terminal", context: "sleep 9", kind: "execute", args: {} };

test("what began before this client came has its own time, which is never in the future", async () => {
  const { view } = (
    await read(
      { type: "message.start", at: 40, payload: start },
      { type: "tool.start", at: 70, payload: call },
      { type: "tool.start", at: 170, payload: { ...call, tool_id: "d" } },
      { type: "tool.start", payload: { ...call, tool_id: "e" } },
    )
  ).state;
  expect(view.turn?.startedAt).toBe(40_000);
  expect(view.tools.map(({ startedAt }) => startedAt)).toEqual([70_000, NOW, NOW]);
});

test("the time for a question begins when it is seen, however old it is", async () => {
  const asks = { request_id: "r", tool_id: "c", command: "x", timeout_s: 10, choices: [] };
  const { view } = (
    await read(
      { type: "message.start", at: 40, payload: start },
      { type: "approval.request", at: 41, payload: asks },
    )
  ).state;
  expect(view.questions.map(({ until }) => until)).toEqual([NOW + 10_000]);
});
