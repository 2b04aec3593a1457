import { expect, test } from "vitest";
import { hostWith } from "../kit/test-host.ts";
import { scriptedModel } from "../kit/scripted-model.ts";
import { hostWire } from "./wire.ts";

test("requests that come right behind `initialize`, in one piece, are all answered", async () => {
  await using host = await hostWith(scriptedModel());
  const wire = hostWire(host);
  let text = "";
  const all = Promise.withResolvers<void>();
  wire.listen((piece) => {
    text += piece;
    if ([1, 2, 3].every((id) => new RegExp(`"id":${id}[,}]`).test(text))) all.resolve();
  });
  const request = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  wire.send(
    request(1, "initialize", { protocolVersion: 1 }) +
      request(2, "session/new", { cwd: "/tmp", mcpServers: [] }) +
      request(3, "session/list", {}),
  );
  await all.promise;
  wire.end();
  const answers = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id?: number; result?: unknown; error?: unknown })
    .filter(({ id }) => id !== undefined);
  expect(answers.map(({ id, error }) => [id, error]).toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
    [1, undefined],
    [2, undefined],
    [3, undefined],
  ]);
});
