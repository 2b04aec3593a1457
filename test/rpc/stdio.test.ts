import { expect, test } from "vitest";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { CommandStage, OPEN } from "../kit/command.ts";

test("agent rpc greets first, answers lines and ends with its input", async () => {
  await using stage = new CommandStage();
  const lines = [
    { id: "r1", method: "session.create", params: { session_id: "mine" } },
    { id: "r2", method: "gateway.ping" },
  ];
  const { stdout, code, stderr } = await stage.run(["rpc"], {
    stdin: `${lines.map((line) => JSON.stringify(line)).join("\n")}\nno json\n\n`,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [first = "", ...rest] = stdout.split("\n").filter((line) => line !== "");
  expect(first.endsWith("\r")).toBe(true);
  expect(JSON.parse(first)).toMatchObject({ method: "event", params: { type: "gateway.ready" } });
  const frames = rest.map((line): unknown => JSON.parse(line));
  expect(frames).toContainEqual(
    expect.objectContaining({ id: "r2", result: { ok: true, at: expect.any(Number) } }),
  );
  expect(frames).toContainEqual(
    expect.objectContaining({ id: "r1", result: expect.objectContaining({ session_id: "mine" }) }),
  );
  expect(frames).toContainEqual(
    expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_700 }) }),
  );
});

test("a stock vscode-jsonrpc client talks to the same command with headers", async () => {
  await using stage = new CommandStage();
  const { child, end } = stage.start(["rpc"], { stdin: OPEN });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const text: string[] = [];
  const over = Promise.withResolvers<void>();
  connection.onNotification(
    "event",
    ({ type, payload }: { type: string; payload: Record<string, unknown> }) => {
      if (type === "message.delta") text.push(String(payload["text"]));
      if (type === "message.complete") over.resolve();
    },
  );
  connection.listen();
  const created: { session_id: string } = await connection.sendRequest("session.create", { cols: 100 });
  await connection.sendRequest("prompt.submit", { session_id: created.session_id, text: "count to 5" });
  await over.promise;
  expect(text.join("")).toBe("1 2 3 4 5");
  await expect(connection.sendRequest("no.such.method", {})).rejects.toMatchObject({ code: -32_601 });
  connection.dispose();
  child.stdin.end();
  expect(await end).toMatchObject({ code: 0, stderr: "" });
});

test.each(["SIGTERM", "SIGHUP"] as const)("%s ends it with 0, also while a turn runs", async (signal) => {
  await using stage = new CommandStage();
  const command = stage.start(["rpc"], { stdin: OPEN });
  await command.line((text) => text.includes("gateway.ready"));
  command.child.stdin.write(
    `${JSON.stringify({ id: 1, method: "session.create", params: { session_id: "s" } })}\n`,
  );
  await command.line((text) => text.includes('"id":1'));
  const ask = { session_id: "s", text: "run `sleep 60`" };
  command.child.stdin.write(`${JSON.stringify({ id: 2, method: "prompt.submit", params: ask })}\n`);
  await command.line((text) => text.includes("approval.request") || text.includes("tool.start"));
  command.child.kill(signal);
  expect(await command.end).toMatchObject({ code: 0, signal: null });
});

test("a reader that leaves ends it", async () => {
  await using stage = new CommandStage();
  const command = stage.start(["rpc"], { stdin: OPEN });
  await command.line((text) => text.includes("gateway.ready"));
  command.child.stdout.destroy();
  command.child.stdin.write(`${JSON.stringify({ id: 1, method: "gateway.ping" })}\n`);
  expect(await command.end).toMatchObject({ code: 0 });
});
