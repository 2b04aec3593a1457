import { expect, test } from "vitest";
import { gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";
import type { LinkedClient } from "./raw-client.ts";

type Params = Readonly<Record<string, unknown>>;

const submit = (client: LinkedClient, session_id: string, more: Params) =>
  client.call("prompt.submit", { session_id, ...more });

async function opened(stage: GatewayStage): Promise<{ readonly client: LinkedClient; readonly id: string }> {
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  return { client, id };
}

async function asked(client: LinkedClient, session_id: string): Promise<readonly string[]> {
  const { messages } = await client.call("session.history", { session_id });
  const said = messages as readonly { readonly role: string; readonly text: string }[];
  return said.flatMap(({ role, text }) => (role === "user" ? [text] : []));
}

test("a prompt sent again under its ref is answered by where it is, and runs once", async () => {
  const door = gate();
  const model = scriptedModel([wait(door), say("one")], [say("two")]);
  await using stage = await GatewayStage.open(model);
  const { client, id } = await opened(stage);
  const first = { text: "first", submission_ref: "ref-1" };
  const second = { text: "second", submission_ref: "ref-2", mode: "queue" };
  const began = await submit(client, id, first);
  expect(began).toMatchObject({ status: "streaming", prompt_id: "ref-1", position: 0 });
  const queued = await submit(client, id, second);
  expect(queued).toMatchObject({ status: "queued", prompt_id: "ref-2", position: 1 });
  // While one runs and the other waits, whatever it is to do with the running turn.
  for (const mode of ["queue", "steer", "interrupt", "refuse"]) {
    expect(await submit(client, id, { ...first, mode })).toEqual(began);
    expect(await submit(client, id, { ...second, mode })).toEqual(queued);
  }
  door.open();
  await client.ended(id, 2);
  // Both are over.
  const again = [await submit(client, id, first), await submit(client, id, second)];
  expect(again).toMatchObject([began, { status: "streaming", prompt_id: "ref-2", position: 0 }]);
  expect(await asked(client, id)).toEqual(["first", "second"]);
  expect(model.requests).toHaveLength(2);
});

test("two connections that send one prompt at once have it run once", async () => {
  const model = scriptedModel();
  await using stage = await GatewayStage.open(model);
  const { client, id } = await opened(stage);
  const other = await stage.client();
  const prompt = { text: "once", submission_ref: "ref" };
  const [a, b] = await Promise.all([submit(client, id, prompt), submit(other, id, prompt)]);
  expect(a).toEqual(b);
  await Promise.all([client.ended(id), other.ended(id)]);
  expect(await asked(client, id)).toEqual(["once"]);
});

test("who sends a prompt again after its end, on a new connection, gets all events of its turn", async () => {
  await using stage = await GatewayStage.open(scriptedModel([say("the answer")]));
  const { client, id } = await opened(stage);
  const prompt = { text: "go", submission_ref: "ref" };
  await submit(client, id, prompt);
  await client.ended(id);
  const later = await stage.client();
  await submit(later, id, prompt);
  await later.ended(id);
  expect(later.text(id)).toBe("the answer");
});

test("text that steered a turn is known by its ref", async () => {
  const door = gate();
  await using stage = await GatewayStage.open(scriptedModel([wait(door)]));
  const { client, id } = await opened(stage);
  await submit(client, id, { text: "go" });
  const steer = { text: "left", submission_ref: "ref", mode: "steer" };
  const answer = await submit(client, id, steer);
  expect(answer).toMatchObject({ status: "steered", prompt_id: "ref" });
  expect(await submit(client, id, steer)).toEqual(answer);
  door.open();
  await client.ended(id);
  expect(await submit(client, id, steer)).toEqual(answer);
  const session = await stage.host.session(id);
  const events = await Array.fromAsync(session.events({ follow: false }));
  expect(events.filter(({ type }) => type === "steer.accepted")).toHaveLength(1);
});

test("a prompt that cut the conversation cuts nothing when it is sent again", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client, id } = await opened(stage);
  for (const [index, text] of ["first", "second"].entries()) {
    await submit(client, id, { text });
    await client.ended(id, index + 1);
  }
  const edited = { text: "edited", submission_ref: "ref", truncate_before_user_ordinal: 1 };
  const answer = await submit(client, id, edited);
  await client.ended(id, 3);
  await submit(client, id, { text: "third" });
  await client.ended(id, 4);
  expect(await submit(client, id, edited)).toEqual(answer);
  expect(await asked(client, id)).toEqual(["first", "edited", "third"]);
});

test("a prompt with a secret in it, which the log hides, is known again", async () => {
  await using stage = await GatewayStage.open(scriptedModel(), { secrets: () => ['sesame "open"'] });
  const { client, id } = await opened(stage);
  const prompt = { text: 'say sesame "open" now', submission_ref: "ref" };
  const answer = await submit(client, id, prompt);
  await client.ended(id);
  expect(await submit(client, id, prompt)).toEqual(answer);
});

test("a ref that was used for another text is refused, wherever its prompt is", async () => {
  const door = gate();
  await using stage = await GatewayStage.open(scriptedModel([wait(door)]));
  const { client, id } = await opened(stage);
  await submit(client, id, { text: "runs", submission_ref: "running" });
  await submit(client, id, { text: "waits", submission_ref: "waiting", mode: "queue" });
  await submit(client, id, { text: "taken back", submission_ref: "dropped", mode: "queue" });
  expect(await client.call("prompt.drop", { session_id: id, prompt_ids: ["dropped"] })).toEqual({
    dropped: ["taken back"],
  });
  const refused = async (submission_ref: string, text: string): Promise<void> => {
    expect(await client.ask("prompt.submit", { session_id: id, text, submission_ref })).toMatchObject({
      error: { code: 4012, data: { code: "invalid_params", path: "submission_ref" } },
    });
  };
  await refused("running", "other");
  await refused("waiting", "other");
  // What somebody took back does not run after all.
  await refused("dropped", "taken back");
  door.open();
  await client.ended(id, 2);
  await refused("running", "other");
  expect(await asked(client, id)).toEqual(["runs", "waits"]);
});

test("a copy of a session knows no refs of that one", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client, id } = await opened(stage);
  await submit(client, id, { text: "go", submission_ref: "ref" });
  await client.ended(id);
  const { session_id: copy } = await client.call("session.branch", { session_id: id });
  await submit(client, copy, { text: "go", submission_ref: "ref" });
  await client.ended(copy);
  expect(await asked(client, copy)).toEqual(["go", "go"]);
});

test("a ref has 1 to 255 visible ASCII characters", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client, id } = await opened(stage);
  for (const submission_ref of ["", "a b", "ref\n", "é", "x".repeat(256), 5]) {
    const answer = await client.ask("prompt.submit", { session_id: id, text: "go", submission_ref });
    expect(answer, String(submission_ref)).toMatchObject({
      error: { code: -32_602, data: { code: "invalid_params", path: "submission_ref" } },
    });
  }
  expect(await asked(client, id)).toEqual([]);
  const longest = "~".repeat(255);
  expect(await submit(client, id, { text: "go", submission_ref: longest })).toMatchObject({
    prompt_id: longest,
  });
  await client.ended(id);
});
