import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { gate, reply, startModelServer, waitAt } from "../kit/model-server/index.ts";
import type { Client } from "../../src/tui/client.ts";
import { runClientCommand } from "../../src/tui/commands.ts";
import { escapeKey, interruptKey } from "../../src/tui/input/stop-keys.ts";
import { SessionController } from "../../src/tui/session-controller.ts";
import { appState } from "../../src/tui/state/app-state.ts";
import { DEFAULT_DISPLAY } from "../../src/tui/state/display-settings.ts";
import { liveLines } from "../../src/tui/view/live-lines.ts";
import { ViewStore } from "../../src/tui/view-store.ts";
import type { Gateway } from "../../src/tui/gateway.ts";
import { lineText } from "./line-text.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

test.each([
  ["Esc", (client: Client) => escapeKey(client)],
  ["Ctrl+C", (client: Client) => void interruptKey(client)],
])("a command that takes its time is shown, and %s stops it", async (_name, press) => {
  const store = new ViewStore(appState({ size: { columns: 80, rows: 24 }, now: 0, history: [] }));
  const controller = new SessionController(store, () => 0);
  const request: Gateway["request"] = (_method, _params, options) => {
    const { promise, reject } = Promise.withResolvers<never>();
    options?.signal?.addEventListener("abort", () => reject(new Error("It was aborted.")));
    return promise;
  };
  controller.connect({ ready: new Promise(() => undefined), events: async function* events() {}, request });
  // A command of the gateway uses nothing else of the client.
  const client = { store, controller } as unknown as Client;
  const running = runClientCommand(client, "/compress the plan");
  await store.until(({ view }) => view.commands.length > 0, new AbortController().signal);
  const { view } = store.state;
  const lines = liveLines(view, { columns: 80, rows: 9, now: 12_000, display: DEFAULT_DISPLAY });
  expect(lines.map(lineText)).toContainEqual(
    expect.stringMatching(/^\S \/compress the plan 12 s · Ctrl\+C stops$/),
  );
  press(client);
  await running;
  expect(store.state.view.commands).toEqual([]);
  expect(store.state.view.finished.map(({ entry }) => entry)).toEqual([
    { kind: "note", tone: "info", text: "/compress was stopped." },
  ]);
});

test("a compression that is stopped leaves the model alone, and the session goes on", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const held = gate();
  server.script(reply("First."), reply("Second."), reply([waitAt(held)]), reply("Third."));
  stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`);
  await using terminal = new TestTerminal(stage);
  await terminal.shows("test-model");
  for (const [prompt, answer] of [
    ["one", /First\.[\s\S]*Ask anything/],
    ["two", /Second\.[\s\S]*Ask anything/],
  ] as const) {
    terminal.send(prompt);
    await terminal.shows(answer);
  }
  terminal.send("/compress");
  await terminal.shows(/\/compress \d[^\n]* · Ctrl\+C stops/);
  terminal.type(KEYS.escape);
  await terminal.shows("/compress was stopped.");
  terminal.send("three");
  await terminal.shows(/Third\.[\s\S]*Ask anything/);
  expect(terminal.text()).not.toContain("Ctrl+C stops");
  held.open();
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
