import { methods } from "@agentclientprotocol/sdk/unstable";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import type { Models } from "../../src/core/index.ts";
import { type ImageSize, imageSize } from "../../src/shared/content/image-header.ts";
import { systemClock } from "../../src/shared/async/clock.ts";
import { SharpImageFitter } from "../../src/providers/images/index.ts";
import { configuredModels, parseModelsConfig } from "../../src/providers/models/index.ts";
import { stageWith } from "../http/stage.ts";
import { AcpEditor } from "../acp/acp-stage.ts";
import { commandWire } from "../acp/wire.ts";
import { CommandStage } from "../kit/command.ts";
import { callTool, type ModelServer, reply, startModelServer } from "../kit/model-server/index.ts";
import { GatewayStage } from "../rpc/gateway-stage.ts";

/** Has more pixels than endpoints take. */
let picture: Buffer;

beforeAll(async () => {
  picture = await sharp({ create: { width: 2400, height: 1800, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
});

/** The images in what a model was sent. */
function imagesIn(text: string): readonly (ImageSize | undefined)[] {
  const found = text.match(/iVBOR[A-Za-z0-9+/]+={0,2}/g) ?? [];
  return found.map((base64) => imageSize(Buffer.from(base64, "base64")));
}

const SMALLER = [{ width: 2000, height: 1500 }];

const DIALECTS = ["chat_completions", "responses_api", "messages_api"];

function modelsOn(server: ModelServer, apiMode: string): Models {
  const block = {
    provider: "local",
    base_url: server.baseUrl,
    default: "m",
    api_mode: apiMode,
    vision: true,
  };
  return configuredModels(parseModelsConfig(block), {
    env: {},
    clock: systemClock,
    images: new SharpImageFitter(),
  });
}

describe.each(DIALECTS)("a large image reaches a model over %s, made smaller,", (apiMode) => {
  test("from clients of the API server, as data and by address", async () => {
    await using server = await startModelServer();
    const images = { fetch: () => Promise.resolve({ bytes: picture, mediaType: "image/png" }) };
    await using stage = await stageWith(modelsOn(server, apiMode), {
      images,
      settings: { maxBodyBytes: 2 ** 26 },
    });
    const data = `data:image/jpeg;base64,${picture.toString("base64")}`;
    server.script(reply("noise"), reply("noise"));
    const chat = { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: data } }] }] };
    expect((await stage.post("/v1/chat/completions", chat)).status).toBe(200);
    const part = { type: "input_image", image_url: "https://pictures.test/noise.png" };
    const response = { input: [{ role: "user", content: [part] }] };
    expect((await stage.post("/v1/responses", response)).status).toBe(200);
    for (const { text } of server.requests) expect(imagesIn(text)).toEqual(SMALLER);
  });

  test("from clients of the gateway", async () => {
    await using server = await startModelServer();
    await using stage = await GatewayStage.open(modelsOn(server, apiMode));
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    await client.call("image.attach_bytes", { session_id, content_base64: picture.toString("base64") });
    server.script(reply("noise"));
    await client.call("prompt.submit", { session_id, text: "What is it?" });
    await client.ended(session_id);
    expect(imagesIn(server.requests[0]?.text ?? "")).toEqual(SMALLER);
  });
});

test("a large image reaches the model from an editor, and from the tool that views files", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  stage.configure(`model: {provider: local, base_url: "${server.baseUrl}", default: m, vision: true}\n`);
  await using editor = new AcpEditor(commandWire(stage));
  await editor.initialize();
  const sessionId = await editor.open(stage.workspace);
  server.script(reply([callTool("view_image", { path: "noise.png" })]), reply("noise"));
  const image = { type: "image", data: picture.toString("base64"), mimeType: "image/png" } as const;
  await sharp(picture).toFile(`${stage.workspace}/noise.png`);
  await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: [image] });
  expect(imagesIn(server.requests[0]?.text ?? "")).toEqual(SMALLER);
  expect(imagesIn(server.requests[1]?.text ?? "")).toEqual([...SMALLER, ...SMALLER]);
});
