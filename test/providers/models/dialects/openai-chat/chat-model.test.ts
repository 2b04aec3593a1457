import { expect, test } from "vitest";
import { systemClock } from "../../../../../src/shared/async/clock.ts";
import { textPart } from "../../../../../src/core/events/content.ts";
import type { ModelMessage } from "../../../../../src/core/ports/model-message.ts";
import { HostError } from "../../../../../src/shared/errors/host-error.ts";
import { configuredModels, parseModelsConfig } from "../../../../../src/providers/models/index.ts";
import { ask, callsIn } from "../../../../kit/model-parts.ts";
import {
  callTool,
  field,
  rawEvent,
  reply,
  say,
  startModelServer,
} from "../../../../kit/model-server/index.ts";
import { describeModels } from "../behaviour.ts";
import { chatCompletions } from "./under-test.ts";

describeModels(chatCompletions);

const open = async (block: object = {}) => {
  const server = await startModelServer({ answer: () => reply("ok") });
  const config = parseModelsConfig({ provider: "local", default: "m", base_url: server.baseUrl, ...block });
  const models = configuredModels(config, { env: {}, clock: systemClock });
  return { server, model: models.resolve({}), [Symbol.asyncDispose]: () => server.close() };
};

test("a message is encoded once, however many requests it is part of", async () => {
  await using kit = await open({ vision: true });
  let reads = 0;
  const parts = [textPart("hi")];
  const message = {
    role: "user" as const,
    get parts() {
      reads += 1;
      return parts;
    },
  };
  await ask(kit.model, { messages: [message] });
  const first = reads;
  await ask(kit.model, {
    messages: [message, { role: "assistant", text: "ok", reasoning: "", calls: [] }, { role: "user", parts }],
  });
  expect(reads).toBe(first);
  expect(field((await kit.server.request(2)).body, "messages")).toHaveLength(4);
});

test("a picture that is no longer stored is told as such; a store that fails ends the call", async () => {
  await using kit = await open({ vision: true });
  const picture = { type: "image", blob: { hash: "a".repeat(64), size: 3 }, mediaType: "image/png" } as const;
  const messages: readonly ModelMessage[] = [{ role: "user", parts: [picture] }];
  const failing = (code: "blob_not_found" | "store_unavailable") => () =>
    Promise.reject(new HostError(code, "No."));
  expect((await ask(kit.model, { messages, loadBlob: failing("blob_not_found") })).error).toBeUndefined();
  expect((await kit.server.request(1)).text).toContain("no longer stored");
  expect((await ask(kit.model, { messages, loadBlob: failing("store_unavailable") })).error).toMatchObject({
    code: "store_unavailable",
  });
});

test("what an endpoint wants to see again goes back to it with the next request", async () => {
  await using kit = await open();
  const call = {
    index: 0,
    id: "c1",
    type: "function",
    function: { name: "ls", arguments: "{}" },
    extra_content: { google: { thought_signature: "S" } },
  };
  kit.server.script(
    reply([
      rawEvent({ choices: [{ index: 0, delta: { reasoning: "hm" } }] }),
      rawEvent({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }),
    ]),
  );
  const { parts } = await ask(kit.model);
  const end = parts.at(-1);
  const items = end?.type === "finish" ? end.items : undefined;
  await ask(kit.model, {
    messages: [
      { role: "user", parts: [textPart("hi")] },
      {
        role: "assistant",
        text: "",
        reasoning: "hm",
        calls: [{ id: "c1", name: "ls", input: {} }],
        ...(items && { items }),
      },
      { role: "tool", results: [{ callId: "c1", name: "ls", content: [textPart("a")], isError: false }] },
    ],
  });
  const messages = field((await kit.server.request(2)).body, "messages");
  expect(messages).toContainEqual({
    role: "assistant",
    content: null,
    reasoning: "hm",
    tool_calls: [
      {
        id: "c1",
        type: "function",
        function: { name: "ls", arguments: "{}" },
        extra_content: { google: { thought_signature: "S" } },
      },
    ],
  });
});

test("ids of calls that an endpoint does not give are made, nine letters and digits long", async () => {
  await using kit = await open();
  kit.server.script(reply([say("x"), callTool("ls", {}, { id: "" }), callTool("ls", {}, { id: "" })]));
  const ids = callsIn((await ask(kit.model)).parts).map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
});
