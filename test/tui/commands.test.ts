import { expect, test } from "vitest";
import type { Client } from "../../src/tui/client.ts";
import { runClientCommand } from "../../src/tui/commands.ts";
import { SessionController } from "../../src/tui/session-controller.ts";
import { appState } from "../../src/tui/state/app-state.ts";
import { ViewStore } from "../../src/tui/view-store.ts";
import type { Gateway } from "../../src/tui/gateway.ts";

test("a command that takes its time says that it is at work, until it is done", async () => {
  const store = new ViewStore(appState({ size: { columns: 80, rows: 24 }, now: 0, history: [] }));
  const controller = new SessionController(store, () => 0);
  const answer = Promise.withResolvers<unknown>();
  controller.connect({
    ready: new Promise(() => undefined),
    events: async function* events() {},
    request: (() => answer.promise) as Gateway["request"],
  });
  const hints: string[] = [];
  const shown = Promise.withResolvers<void>();
  store.subscribe(() => {
    hints.push(store.state.hint);
    if (store.state.hint !== "") shown.resolve();
  });
  // A command of the gateway uses nothing else of the client.
  const running = runClientCommand({ store, controller } as unknown as Client, "/compress the plan");
  await shown.promise;
  expect(store.state.hint).toBe("/compress is at work…");
  answer.resolve({ type: "exec", output: "" });
  await running;
  expect(store.state.hint).toBe("");
});

test("what an event of the session says too is said once", async () => {
  const store = new ViewStore(appState({ size: { columns: 80, rows: 24 }, now: 0, history: [] }));
  const controller = new SessionController(store, () => 0);
  const answers = [{ told: true }, {}].map((more) => ({
    type: "exec",
    output: "Not compressed: no.",
    ...more,
  }));
  controller.connect({
    ready: new Promise(() => undefined),
    events: async function* events() {},
    request: (() => Promise.resolve(answers.shift())) as unknown as Gateway["request"],
  });
  const client = { store, controller } as unknown as Client;
  await runClientCommand(client, "/compress");
  expect(store.state.view.finished).toEqual([]);
  await runClientCommand(client, "/compress");
  expect(store.state.view.finished).toHaveLength(1);
});
