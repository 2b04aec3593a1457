import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { StreamMessageReader } from "vscode-jsonrpc/node";
import { serveStream, type StreamConnection } from "../../src/rpc/index.ts";
import { scriptedModel } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";
import { RawClient } from "./raw-client.ts";

interface Served {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly connection: StreamConnection;
}

interface Streamed extends Omit<Served, "output"> {
  readonly client: RawClient;
}

/** The streams of a connection to a stage's gateway. */
function served({ gateway }: GatewayStage, largest?: number): Served {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const options = { input, output, ...(largest === undefined ? {} : { largest }) };
  return { input, output, connection: serveStream((wire) => gateway.accept(wire), options) };
}

/** A client on two streams of a stage's gateway. */
function streamed(stage: GatewayStage, largest?: number): Streamed {
  const { input, output, connection } = served(stage, largest);
  const client = new RawClient((text) => input.write(`${text}\n`));
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) client.take(line);
  });
  return { client, input, connection };
}

test("thousands of requests at once are all answered, once", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client, input, connection } = streamed(stage);
  for (let id = 0; id < 5000; id += 1) client.send({ id, method: "gateway.ping" });
  input.end();
  expect(await connection.ended).toBe("other side left");
  const ids = client.frames.flatMap(({ id }) => (typeof id === "number" ? [id] : []));
  expect(ids).toHaveLength(5000);
  expect(new Set(ids).size).toBe(5000);
  expect(stage.gateway.connections).toBe(0);
});

test("the first of many prompts in one chunk is at work before the last of them is taken", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client, input, connection } = streamed(stage);
  const requests = Array.from({ length: 200 }, (_, id) => JSON.stringify({ id, method: "gateway.ping" }));
  input.write(`${requests.join("\n")}\n`);
  await client.frame(({ id }) => id === 0);
  expect(client.frames.length).toBeLessThan(100);
  input.end();
  await connection.ended;
  expect(client.frames.filter(({ id }) => typeof id === "number")).toHaveLength(200);
});

test("a client with headers gets headers, each answer once, and what is too large is refused", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { input, connection, output } = served(stage, 1000);
  const answers: { readonly id: unknown }[] = [];
  // It makes responses of what it reads, or notifications, which have no id.
  const all = Promise.withResolvers<void>();
  new StreamMessageReader(output).listen((message) => {
    if (answers.push({ id: undefined, ...message }) === 302) all.resolve();
  });
  const frames = Array.from({ length: 300 }, (_, id) => JSON.stringify({ id, method: "gateway.ping" }));
  frames.splice(100, 0, "x".repeat(2000), "no json");
  input.end(frames.map((text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`).join(""));
  expect(await connection.ended).toBe("other side left");
  const refused = (code: number): unknown =>
    expect.objectContaining({ id: null, error: expect.objectContaining({ code }) });
  await all.promise;
  expect(answers).toEqual(expect.arrayContaining([refused(-32_600), refused(-32_700)]));
  const ids = answers.flatMap(({ id }) => (typeof id === "number" ? [id] : []));
  expect(new Set(ids).size).toBe(300);
});

test("a message that is too large is refused and skipped, and the next one is answered", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client } = streamed(stage, 1000);
  client.send("x".repeat(2000));
  expect(await client.frame(({ id }) => id === null)).toMatchObject({ error: { code: -32_600 } });
  expect(await client.call("gateway.ping")).toMatchObject({ ok: true });
});

test("a request that is cancelled is stopped and answered as such", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client } = streamed(stage);
  client.send({ id: "long", method: "shell.exec", params: { command: "wait" } });
  await client.call("gateway.ping");
  client.send({ method: "$/cancelRequest", params: { id: "long" } });
  expect(await client.frame(({ id }) => id === "long")).toMatchObject({ error: { code: -32_800 } });
});

test("a request without an id does what it says and is not answered", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const { client } = streamed(stage);
  client.send({ method: "session.create", params: { session_id: "quiet" } });
  await client.event("session.info", ({ session_id }) => session_id === "quiet");
  expect(client.frames.filter((frame) => !("method" in frame))).toEqual([]);
});
