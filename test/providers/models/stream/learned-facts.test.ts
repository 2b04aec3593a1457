import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelPart } from "../../../../src/core/index.ts";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import {
  configuredModels,
  LearnedFacts,
  parseModelsConfig,
  type ServedContext,
} from "../../../../src/providers/models/index.ts";
import { refusalFile } from "../../../../src/app/config/refusal-file.ts";
import { handClock } from "../../../kit/clock.ts";
import { modelRequest } from "../../../kit/model-parts.ts";
import { type ModelServer, reply, startModelServer } from "../../../kit/model-server/index.ts";
import { smallPng } from "../../../kit/small-png.ts";

const IMAGE = { type: "image", blob: { hash: "a".repeat(64), size: 100 }, mediaType: "image/png" } as const;
const LOOK = { messages: [{ role: "user", parts: [{ type: "text", text: "look" }, IMAGE] }] } as const;

async function makeFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "learned-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

function modelOn(server: ModelServer, block: object = {}, learned = new LearnedFacts()) {
  const kept: ServedContext[] = [];
  const config = { provider: "local", base_url: server.baseUrl, default: "my-own-model", ...block };
  const models = configuredModels(parseModelsConfig(config), {
    env: {},
    clock: systemClock,
    learned,
    keepContext: (found) => kept.push(found),
  });
  return { models, model: models.resolve({}), kept };
}

const ask = (
  model: { stream(request: ReturnType<typeof modelRequest>): AsyncIterable<ModelPart> },
  request = {},
) => Array.fromAsync(model.stream(modelRequest({ loadBlob: async () => smallPng(), ...request })));

describe("the context of a model whose owner did not say it", () => {
  test.each([
    ["llama.cpp", { "GET /props": { default_generation_settings: { n_ctx: 8192 } } }, 8192],
    [
      "llama.cpp, whose list says what the model was made for",
      {
        "GET /props": { default_generation_settings: { n_ctx: 8192 } },
        "GET /v1/models": { data: [{ id: "my-own-model", meta: { n_ctx_train: 131_072 } }] },
      },
      8192,
    ],
    [
      "Ollama",
      { "POST /api/show": { parameters: "num_ctx 16384", model_info: { "a.context_length": 99_999 } } },
      16_384,
    ],
    ["vLLM", { "GET /v1/models": { data: [{ id: "my-own-model", max_model_len: 32_768 }] } }, 32_768],
    [
      "LM Studio",
      { "GET /v1/models": { data: [{ id: "my-own-model", loaded_context_length: 4096 }] } },
      4096,
    ],
  ])(
    "is asked of %s, once, and kept; too little is said before anything else",
    async (_name, others, tokens) => {
      await using server = await startModelServer({ others });
      const { models, model, kept } = modelOn(server);
      await using closing = new AsyncDisposableStack();
      closing.use(models);
      server.script(reply("hello"), reply("hello"));
      const [first] = await ask(model);
      expect(first).toMatchObject({
        type: "notice",
        text: expect.stringContaining(`served with ${tokens} tokens`),
      });
      expect(model.contextLength).toBe(tokens);
      expect((await ask(model)).map(({ type }) => type)).not.toContain("notice");
      expect(kept).toEqual([{ provider: "local", model: "my-own-model", contextLength: tokens }]);
    },
  );

  test("is not asked when the owner has said it, and is the usual one when nobody tells", async () => {
    await using server = await startModelServer({
      others: { "GET /props": { default_generation_settings: { n_ctx: 8192 } } },
    });
    const said = modelOn(server, { context_length: 100_000 });
    server.script(reply("hello"));
    expect((await ask(said.model)).map(({ type }) => type)).not.toContain("notice");
    expect([said.model.contextLength, said.kept]).toEqual([100_000, []]);
    await said.models[Symbol.asyncDispose]();

    await using silent = await startModelServer();
    const unknown = modelOn(silent);
    silent.script(reply("hello"));
    await ask(unknown.model);
    expect([unknown.model.contextLength, unknown.kept]).toEqual([64_000, []]);
    await unknown.models[Symbol.asyncDispose]();
  });
});

describe("an image for a model that nobody knows", () => {
  const REFUSALS = [
    [400, { error: { message: "This model does not support image input" } }],
    [400, { error: { message: "Invalid content" } }],
    [404, { error: { message: "No endpoints found that support image input" } }],
    [500, { error: { message: "image input is not supported - hint: you may need to provide the mmproj" } }],
  ] as const;

  test.each(REFUSALS)(
    "is left out after a refusal with %i %j, of the same request and of all later ones",
    async (status, body) => {
      await using server = await startModelServer();
      const learned = new LearnedFacts();
      const { models, model } = modelOn(server, {}, learned);
      server.script(
        { status, body: JSON.stringify(body) },
        reply("no picture"),
        reply("again"),
        reply("anew"),
      );
      expect(model.vision).toBe(true);
      expect(await ask(model, LOOK)).toContainEqual({ type: "text", text: "no picture" });
      expect(model.vision).toBe(false);
      await ask(model, LOOK);
      await models[Symbol.asyncDispose]();
      // Also after a change of settings.
      const later = modelOn(server, {}, learned);
      await ask(later.model, LOOK);
      await later.models[Symbol.asyncDispose]();
      expect(server.requests.map(({ text }) => text.includes("base64"))).toEqual([true, false, false, false]);
      expect(server.requests[1]?.text).toContain("my-own-model cannot look at images");
    },
  );

  test("is not sent again by the next process, as long as the refusal is remembered", async () => {
    await using server = await startModelServer();
    await using folder = await makeFolder();
    const clock = handClock();
    const process = () => modelOn(server, {}, new LearnedFacts(refusalFile(folder.path, clock)));
    server.script({ status: 400, body: "{}" }, reply("no picture"), reply("later"), reply("much later"));
    const texts = async ({ models, model }: ReturnType<typeof process>): Promise<void> => {
      await ask(model, LOOK);
      await models[Symbol.asyncDispose]();
    };
    await texts(process());
    await texts(process());
    clock.advance(31 * 24 * 3_600_000);
    await texts(process());
    expect(server.requests.map(({ text }) => text.includes("base64"))).toEqual([true, false, false, true]);
    // An address may hold a key.
    expect(await readFile(join(folder.path, "image_refusals.json"), "utf8")).not.toMatch(
      /127\.0\.0\.1|model/,
    );
  });

  test("goes on being sent once it was taken, and a refusal is then one of something else", async () => {
    await using server = await startModelServer();
    const { models, model } = modelOn(server);
    await using closing = new AsyncDisposableStack();
    closing.use(models);
    server.script(reply("a picture"), { status: 400, body: '{"error":{"message":"bad image"}}' });
    await ask(model, LOOK);
    await expect(ask(model, LOOK)).rejects.toMatchObject({ code: "provider_bad_request" });
    expect(server.requests.map(({ text }) => text.includes("base64"))).toEqual([true, true]);
  });

  test("proves nothing when the request is refused without it too", async () => {
    await using server = await startModelServer();
    const { models, model } = modelOn(server);
    await using closing = new AsyncDisposableStack();
    closing.use(models);
    const refusal = { status: 400, body: '{"error":{"message":"Unknown field"}}' };
    server.script(refusal, refusal, reply("a picture"));
    await expect(ask(model, LOOK)).rejects.toMatchObject({ code: "provider_bad_request" });
    await ask(model, LOOK);
    expect(server.requests.map(({ text }) => text.includes("base64"))).toEqual([true, false, true]);
  });

  test.each([
    ["llama3", undefined, false],
    ["my-own-model", false, false],
    ["llama3", true, true],
  ])("%s, configured as %s, gets it: %s", async (name, vision, sent) => {
    await using server = await startModelServer();
    const { models, model } = modelOn(server, { default: name, ...(vision === undefined ? {} : { vision }) });
    await using closing = new AsyncDisposableStack();
    closing.use(models);
    server.script(reply("hello"));
    await ask(model, LOOK);
    expect(server.requests.map(({ text }) => text.includes("base64"))).toEqual([sent]);
  });
});
