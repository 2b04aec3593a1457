import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { serveStream, type StreamConnection } from "../../src/rpc/index.ts";
import { scriptedModel } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";
import { RawClient } from "./raw-client.ts";

interface Streamed {
  readonly client: RawClient;
  readonly input: PassThrough;
  readonly connection: StreamConnection;
}

/** A client on two streams of a stage's gateway. */
function streamed({ gateway }: GatewayStage, largest?: number): Streamed {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const options = { input, output, ...(largest === undefined ? {} : { largest }) };
  const connection = serveStream((wire) => gateway.accept(wire), options);
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
