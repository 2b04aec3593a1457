import { expect, test } from "vitest";
import type { Client } from "../../../src/tui/client.ts";
import { Dialogs } from "../../../src/tui/overlays/dialogs.ts";
import { visibleItems } from "../../../src/tui/overlays/list.ts";
import { openApprovals } from "../../../src/tui/overlays/approvals.ts";
import { openPalette } from "../../../src/tui/overlays/palette.ts";
import { openProcesses } from "../../../src/tui/overlays/processes.ts";
import { SessionController } from "../../../src/tui/session-controller.ts";
import { appState } from "../../../src/tui/state/app-state.ts";
import { ViewStore } from "../../../src/tui/view-store.ts";
import type { Gateway } from "../../../src/tui/gateway.ts";

type Answers = Readonly<Record<string, unknown>>;

/** A client over a gateway that answers each method always the same. */
function stage(answers: Answers) {
  const store = new ViewStore(appState({ size: { columns: 80, rows: 24 }, now: 0, history: [] }));
  const controller = new SessionController(store, () => 0);
  const asked: (readonly [string, unknown])[] = [];
  controller.connect({
    ready: new Promise(() => undefined),
    events: async function* events() {},
    request: ((method: string, params: unknown) => {
      asked.push([method, params]);
      return Promise.resolve(answers[method]);
    }) as unknown as Gateway["request"],
  });
  Object.defineProperty(controller, "sessionId", { get: () => "s1" });
  const prefilled: string[] = [];
  const client = {
    store,
    controller,
    dialogs: new Dialogs(store),
    now: () => 0,
    prefill: (text: string) => void prefilled.push(text),
  } as unknown as Client;
  return { client, store, asked, prefilled };
}

/** Waits until a dialog is open that is not the one before. */
async function dialog({ store }: Pick<Client, "store">, before?: unknown) {
  while (store.state.overlay === undefined || store.state.overlay === before) await Promise.resolve();
  const { overlay } = store.state;
  if (overlay.kind !== "list") throw new Error(`a list was expected, not ${overlay.kind}`);
  return overlay;
}

const COMMANDS = [
  ["/title <text>", "Name the session", ["/rename"]],
  ["/compress [focus]", "Summarize the older part", ["/compact"]],
] as const;

test("the palette finds commands by other names, skills and sessions, and does what is chosen", async () => {
  const { client, asked, prefilled } = stage({
    "skills.manage": { results: [{ name: "Deploy", description: "put it out", enabled: true }] },
    "session.list": { sessions: [{ id: "s2", title: "The parser", preview: "", last_active: 0 }] },
    "config.set": {},
  });
  const ran: string[] = [];
  const run = async (command: string): Promise<void> => void ran.push(command);
  const choose = async (words: string): Promise<void> => {
    const done = openPalette(client, { commands: COMMANDS, run });
    const [best] = visibleItems({ ...(await dialog(client)), filter: words });
    client.dialogs.answer(best?.id);
    await done.catch(() => undefined);
  };
  await choose("rename");
  expect(prefilled).toEqual(["/title "]);
  await choose("compact");
  expect(ran).toEqual(["/compress"]);
  await choose("deploy");
  expect(prefilled).toEqual(["/title ", "/deploy "]);
  await choose("next mode");
  expect(asked).toContainEqual(["config.set", expect.objectContaining({ key: "mode", value: "next" })]);
  await choose("parser");
  expect(asked.at(-1)).toMatchObject(["session.resume", { session_id: "s2" }]);
});

test("approvals list modes and rules, and add and remove a rule", async () => {
  const config = { approvals: { allowed: ["npm test *"], denied: ["git push *"] } };
  const own = ["npm test *", "make"];
  const { client, store } = stage({
    "config.get": { config },
    "session.status": { state: { allowed: own } },
  });
  const ran: string[] = [];
  const done = openApprovals(client, async (command) => void ran.push(command));
  const first = await dialog(client);
  expect(first.items.map(({ label }) => label)).toEqual([
    "Mode: ask",
    "Mode: edits",
    "Mode: plan",
    "Mode: all",
    "Allowed: npm test *",
    "Denied: git push *",
    "Allowed in this session: make",
    "Add a rule that allows…",
    "Add a rule that denies…",
  ]);
  client.dialogs.answer("rule npm test *");
  const sure = await dialog(client, first);
  expect(sure.items[0]?.id).toBe("no");
  client.dialogs.answer("yes");
  const again = await dialog(client, sure);
  client.dialogs.answer("deny");
  while (store.state.overlay?.kind !== "field") await Promise.resolve();
  client.dialogs.answer("rm *");
  const last = await dialog(client, again);
  client.dialogs.answer("own make");
  const here = await dialog(client, last);
  expect(here.items[1]?.detail).toBe("from now on");
  client.dialogs.answer("yes");
  const end = await dialog(client, here);
  client.dialogs.answer(end.items[2]?.id);
  await done;
  expect(ran).toEqual([
    "/approvals remove npm test *",
    "/approvals deny rm *",
    "/approvals remove make",
    "/approval-mode plan",
  ]);
});

test("commands in the background are read and ended", async () => {
  const process = { process_id: "bg_1", command: "make", status: "running", started_at: 0, bytes: 3 };
  const { client, store, asked } = stage({
    "process.list": { processes: [process] },
    "process.output": { output: "abc" },
    "process.kill": { killed: true },
  });
  for (const act of ["read", "end"]) {
    const done = openProcesses(client);
    const list = await dialog(client);
    expect(list.items[0]?.label).toBe("make");
    client.dialogs.answer("bg_1");
    await dialog(client, list);
    client.dialogs.answer(act);
    await done;
    expect(store.state.overlay).toEqual(
      act === "read" ? expect.objectContaining({ text: "abc" }) : undefined,
    );
    store.update({ overlay: undefined });
  }
  expect(asked.at(-1)).toEqual(["process.kill", { session_id: "s1", process_id: "bg_1" }]);
});
