import { describe, expect, test } from "vitest";
import type { Records } from "../../../src/core/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { Machine } from "../../kit/machine.ts";
import { callTool, gate, say, scriptedModel, used } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { stageWith } from "../stage.ts";

const tools = { host: { toolsets: toolsOf(testTool("look")) } };
const user = (content: string) => ({ role: "user", content }) as const;

describe("a conversation with the stock client", () => {
  test("is made, changed, read and deleted", async () => {
    await using stage = await stageWith(scriptedModel());
    const { conversations } = stage.openai;
    const made = await conversations.create({ metadata: { a: "b" } });
    expect(made).toMatchObject({ object: "conversation", metadata: { a: "b" } });
    expect(made.id).toMatch(/^conv_[0-9a-f]{48}$/);
    await conversations.update(made.id, { metadata: { a: "c" } });
    expect(await conversations.retrieve(made.id)).toEqual({ ...made, metadata: { a: "c" } });
    expect(await conversations.delete(made.id)).toEqual({
      id: made.id,
      object: "conversation.deleted",
      deleted: true,
    });
    await expect(conversations.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    expect((await conversations.create()).metadata).toEqual({});
  });

  test("keeps items as a client adds them, in pages, and gives them back", async () => {
    await using stage = await stageWith(scriptedModel());
    const { conversations } = stage.openai;
    const { id } = await conversations.create({ items: [user("one")] });
    const call = { type: "function_call", call_id: "x", name: "n", arguments: "{}" } as const;
    const added = await conversations.items.create(id, { items: [user("two"), call] });
    expect(added.data).toMatchObject([
      { type: "message", role: "user", status: "completed", content: [{ type: "input_text", text: "two" }] },
      call,
    ]);
    const listed = await Array.fromAsync(conversations.items.list(id, { order: "asc", limit: 2 }));
    expect(listed.map(({ type }) => type)).toEqual(["message", "message", "function_call"]);
    const last = String(listed.at(-1)?.id);
    expect(await conversations.items.retrieve(last, { conversation_id: id })).toEqual(listed.at(-1));
    await conversations.items.delete(last, { conversation_id: id });
    expect((await conversations.items.list(id)).data.length).toBe(2);
    await expect(conversations.items.delete(last, { conversation_id: id })).rejects.toMatchObject({
      status: 404,
    });
  });

  test("is gone on with by responses, which take in what was added, once", async () => {
    const model = scriptedModel(
      [say("Looking. "), callTool("look", {}, "c1")],
      [say("Done.")],
      [say("Well.")],
    );
    await using stage = await stageWith(model, tools);
    const { conversations, responses } = stage.openai;
    const { id } = await conversations.create({ items: [user("I am Ada.")] });
    const first = await responses.create({ conversation: id, input: "hi" });
    expect(first.conversation).toEqual({ id });
    expect(model.seen.at(-1)).toEqual(["I am Ada.\nhi"]);
    await responses.create({ conversation: id, input: "and?" });
    expect(model.seen.at(-1)).toEqual(["I am Ada.\nhi", "and?"]);
    const listed = await Array.fromAsync(conversations.items.list(id, { order: "asc" }));
    expect(listed.map((item) => (item.type === "message" ? item.role : item.type))).toEqual([
      "user",
      "user",
      "assistant",
      "mcp_call",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test("that exists as a name only can be read and added to", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const { conversations, responses } = stage.openai;
    await responses.create({ conversation: "mine", input: "hi" });
    expect(await conversations.retrieve("mine")).toMatchObject({ id: "mine", metadata: {} });
    await conversations.items.create("mine", { items: [user("By the way.")] });
    await responses.create({ conversation: "mine", input: "and?", store: false });
    await responses.create({ conversation: "mine", input: "and?" });
    expect(model.seen.slice(1)).toEqual([
      ["hi", "By the way.\nand?"],
      ["hi", "By the way.\nand?"],
    ]);
    await conversations.delete("mine");
    await responses.create({ conversation: "mine", input: "anew" });
    expect(model.seen.at(-1)).toEqual(["anew"]);
  });

  test("is refused with too much, and with what is no item", async () => {
    await using stage = await stageWith(scriptedModel());
    const { id } = await stage.openai.conversations.create();
    const path = `/v1/conversations/${id}/items`;
    for (const items of [undefined, ["hi"], Array.from({ length: 21 }, () => user("hi"))])
      expect((await stage.post(path, { items })).status).toBe(400);
    const large = { items: [user("x".repeat(4_000_001))] };
    expect(await (await stage.post(path, large)).text()).toContain("too many items");
  });
});

describe("the length of a request", () => {
  test("is estimated without a turn, with the conversation that it continues", async () => {
    const model = scriptedModel([say("Hello."), used(1000, 20)]);
    await using stage = await stageWith(model);
    const { inputTokens } = stage.openai.responses;
    const short = await inputTokens.count({ model: "agent", input: "x".repeat(400) });
    expect(short).toEqual({ object: "response.input_tokens", input_tokens: 104 });
    const { id } = await stage.openai.responses.create({ input: "hi" });
    const after = await inputTokens.count({ previous_response_id: id, instructions: "x".repeat(40) });
    expect(after.input_tokens).toBe(1030);
    const picture = { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" } as const;
    const seen = await inputTokens.count({ input: [{ role: "user", content: [picture] }] });
    expect(seen.input_tokens).toBeGreaterThan(1000);
    expect(model.requests.length).toBe(1);
    await expect(inputTokens.count({ previous_response_id: "resp_no", input: "hi" })).rejects.toMatchObject({
      status: 404,
      code: "previous_response_not_found",
    });
  });
});

describe("a conversation of two hosts", () => {
  test.each([
    ["the first two", []],
    ["two later", ["earlier"]],
  ])("%s requests that come at the same time follow one another", async (_which, earlier) => {
    const machine = new Machine();
    const model = scriptedModel();
    const looks = gate();
    let begins = gate();
    const stageOf = async (changes: (records: Records) => Partial<Records>) => {
      const { store } = await machine.start(model, { clock: systemClock });
      const records = changedObject(store.records, changes(store.records));
      return await stageWith(model, {
        host: { store: changedObject(store, { records }), clock: systemClock },
      });
    };
    await using one = await stageOf((records) => ({
      put: async (draft) => {
        if (draft.space === "http.responses") {
          begins.arrive();
          await begins.opened;
        }
        return await records.put(draft);
      },
    }));
    await using two = await stageOf((records) => ({
      get: async (space, key) => {
        const record = await records.get(space, key);
        if (space === "http.conversations" && key === "both") looks.arrive();
        return record;
      },
    }));
    const ask = (stage: typeof one, input: string) =>
      stage.openai.responses.create({ conversation: "both", input });
    begins.open();
    for (const input of earlier) await ask(one, input);
    begins = gate();
    const first = ask(one, "one");
    await begins.reached;
    const second = ask(two, "two");
    await looks.reached;
    begins.open();
    expect([(await first).status, (await second).status]).toEqual(["completed", "completed"]);
    await ask(one, "and?");
    expect(model.seen.at(-1)).toEqual([...earlier, "one", "two", "and?"]);
  });
});
