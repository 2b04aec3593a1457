import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { serveStream } from "../../src/rpc/index.ts";
import { scriptedModel } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";

vi.mock("../../src/rpc/transport/header-stream.ts", () => {
  throw new Error("the file is gone");
});

test("a connection whose headers cannot be read tells so once, also when it is being stopped", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = serveStream((wire) => stage.gateway.accept(wire), { input, output });
  const begun = once(input, "data");
  input.write('Content-Length: 8\r\n\r\n{"id":2}');
  await begun;
  const [ended, stopped] = await Promise.allSettled([connection.ended, connection.stop()]);
  expect(ended.status).toBe("rejected");
  expect(stopped.status).toBe("fulfilled");
});
