import { expect, test } from "vitest";
import type { Host } from "../../src/core/index.ts";
import { hostWith } from "../kit/test-host.ts";
import { scriptedModel } from "../kit/scripted-model.ts";
import { hostWire } from "./wire.ts";

/** Sends requests in one piece to a connection of their own. Resolves with each one's error, by their order. */
async function pipelined(
  host: Host,
  ...requests: readonly (readonly [method: string, params: object])[]
): Promise<readonly unknown[]> {
  const wire = hostWire(host);
  let text = "";
  const all = Promise.withResolvers<void>();
  wire.listen((piece) => {
    text += piece;
    if (requests.every((_, id) => new RegExp(`"id":${id}[,}]`).test(text))) all.resolve();
  });
  const lines = requests.map(([method, params], id) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params }),
  );
  wire.send(`${lines.join("\n")}\n`);
  await all.promise;
  wire.end();
  const answers = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id?: number; error?: unknown });
  return requests.map((_, id) => answers.find((answer) => answer.id === id)?.error);
}

const GREETING = ["initialize", { protocolVersion: 1 }] as const;

test("requests that come right behind `initialize`, in one piece, are all answered", async () => {
  await using host = await hostWith(scriptedModel());
  expect(
    await pipelined(host, GREETING, ["session/new", { cwd: "/tmp", mcpServers: [] }], ["session/list", {}]),
  ).toEqual([undefined, undefined, undefined]);
});

test.each(["close", "archive", "delete"])(
  "a session that is loaded and left by `session/%s` in one piece: both are answered",
  async (leave) => {
    await using host = await hostWith(scriptedModel());
    const { id } = await host.open({ platform: "acp", cwd: "/tmp", roots: [] });
    const sessionId = { sessionId: id };
    const errors = await pipelined(
      host,
      GREETING,
      ["session/load", { ...sessionId, cwd: "/tmp", mcpServers: [] }],
      [`session/${leave}`, { ...sessionId, archived: true }],
    );
    expect(errors).toEqual([undefined, undefined, undefined]);
    if (leave === "delete")
      await expect(host.session(id)).rejects.toMatchObject({ code: "session_not_found" });
  },
);
