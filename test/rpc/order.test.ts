import { expect, test } from "vitest";
import { gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";
import type { LinkedClient } from "./raw-client.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

type Ask = (client: LinkedClient, session_id: string) => Promise<{ readonly error?: unknown }>;

const ATTACHING: readonly [name: string, attach: Ask][] = [
  ["image.attach", (client, session_id) => client.ask("image.attach", { session_id, path: "/work/a.png" })],
  [
    "image.attach_bytes",
    (client, session_id) =>
      client.ask("image.attach_bytes", { session_id, content_base64: PNG.toString("base64") }),
  ],
  [
    "input.detect_drop",
    (client, session_id) => client.ask("input.detect_drop", { session_id, text: "/work/a.png" }),
  ],
];

test.each(ATTACHING)(
  "an image that %s attaches goes along with the prompt sent behind it",
  async (_name, attach) => {
    const model = scriptedModel([say("I see it.")], [say("Nothing.")]);
    await using stage = await GatewayStage.open(model);
    stage.world.files.set("/work/a.png", PNG);
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const [attached] = await Promise.all([
      attach(client, session_id),
      client.call("prompt.submit", { session_id, text: "look" }),
    ]);
    expect(attached.error).toBeUndefined();
    await client.ended(session_id);
    await client.call("prompt.submit", { session_id, text: "and now" });
    await client.ended(session_id, 2);
    const images = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)).includes('"image"'));
    expect(images).toEqual([true, false]);
  },
);

const TAKING_BACK: readonly [name: string, undo: Ask][] = [
  ["session.undo", (client, session_id) => client.ask("session.undo", { session_id })],
  ["command.dispatch", (client, session_id) => client.ask("command.dispatch", { session_id, name: "undo" })],
  ["slash.exec", (client, session_id) => client.ask("slash.exec", { session_id, command: "/undo" })],
];

test.each(TAKING_BACK)(
  "%s takes back what was there, and not the prompt sent behind it",
  async (_name, undo) => {
    await using stage = await GatewayStage.open(scriptedModel([say("a")], [say("b")], [say("c")]));
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    for (const [index, text] of ["first", "second"].entries()) {
      await client.call("prompt.submit", { session_id, text });
      await client.ended(session_id, index + 1);
    }
    const [undone] = await Promise.all([
      undo(client, session_id),
      client.call("prompt.submit", { session_id, text: "third" }),
    ]);
    expect(undone.error).toBeUndefined();
    await client.ended(session_id, 3);
    const { messages } = await client.call("session.history", { session_id });
    const said = messages as readonly { readonly role: string; readonly text: string }[];
    expect(said.flatMap(({ role, text }) => (role === "user" ? [text] : []))).toEqual(["first", "third"]);
  },
);

test("what a command wrote goes along with the prompt sent behind it", async () => {
  const model = scriptedModel();
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  await Promise.all([
    client.call("shell.exec", { session_id, command: "echo kept", keep: true }),
    client.call("prompt.submit", { session_id, text: "look" }),
  ]);
  await client.ended(session_id);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("! echo kept");
});

test("a session whose prompt was sent just before is not deleted", async () => {
  const held = gate();
  await using stage = await GatewayStage.open(scriptedModel([wait(held), say("done")]));
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  const [, deleted] = await Promise.all([
    client.call("prompt.submit", { session_id, text: "go" }),
    client.ask("session.delete", { session_id }),
  ]);
  expect(deleted.error?.code).toBe(4023);
  held.open();
  await client.ended(session_id);
  expect(client.text(session_id)).toBe("done");
});

test("a prompt that is sent behind a deletion is refused, and not lost", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  const [deleted, sent] = await Promise.all([
    client.ask("session.delete", { session_id }),
    client.ask("prompt.submit", { session_id, text: "go" }),
  ]);
  expect([deleted.error, sent.error?.code]).toEqual([undefined, 4001]);
});
