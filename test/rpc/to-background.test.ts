import { expect, test } from "vitest";
import { RpcGateway } from "../../src/rpc/index.ts";
import { callTool, say, scriptedModel } from "../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../kit/test-host.ts";
import { link } from "./raw-client.ts";
import { worldPorts } from "./world-ports.ts";

const PROCESS = { process_id: "bg_1", command: "make", status: "running", bytes: 0, started_at: 1 } as const;

test("process.background waits for the command of a call that has begun, as long as the call is not over", async () => {
  const runs = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let calls = 0;
  const terminal = testTool("terminal", {
    run: () => runs[(calls += 1) - 1]?.promise ?? Promise.resolve(""),
  });
  const models = scriptedModel(
    [callTool("terminal"), callTool("look")],
    [callTool("terminal")],
    [say("Done.")],
  );
  await using host = await hostWith(models, { toolsets: toolsOf(terminal, testTool("look")) });
  const waits: { readonly key: string | undefined; readonly until: AbortSignal }[] = [];
  const came = Promise.withResolvers<void>();
  const { ports } = worldPorts();
  const gateway = new RpcGateway(host, {
    ...ports,
    processes: {
      ...ports.processes,
      async toBackground(_session, key, until) {
        if (until === undefined) return [];
        waits.push({ key, until });
        const over = Promise.withResolvers<void>();
        until.addEventListener("abort", () => over.resolve());
        const begins = waits.length === 1 ? came.promise : new Promise<never>(() => undefined);
        return await Promise.race([begins.then(() => [PROCESS]), over.promise.then(() => [])]);
      },
    },
  });
  const client = link(gateway);
  await client.event("gateway.ready");
  const { session_id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id, text: "go" });
  const { payload: first } = await client.event("tool.start", ({ payload }) => payload.name === "terminal");
  const moving = client.call("process.background", { session_id });
  await expect.poll(() => waits.length).toBe(1);
  expect(waits[0]).toMatchObject({ key: first.tool_id });
  came.resolve();
  expect(await moving).toEqual({ processes: [PROCESS] });
  runs[0]?.resolve("moved");
  const { payload: second } = await client.event(
    "tool.start",
    ({ payload }) => payload.name === "terminal" && payload.tool_id !== first.tool_id,
  );
  const late = client.call("process.background", { session_id, tool_id: second.tool_id });
  await expect.poll(() => waits.length).toBe(2);
  expect(waits[1]?.until.aborted).toBe(false);
  runs[1]?.resolve("over before it could be moved");
  expect(await late).toEqual({ processes: [] });
  expect(waits[1]?.until.aborted).toBe(true);
  gateway.close();
});

test.each(["process.output", "process.kill"] as const)(
  "%s names a process that there is not",
  async (method) => {
    await using host = await hostWith(scriptedModel());
    const client = link(new RpcGateway(host, worldPorts().ports));
    await client.event("gateway.ready");
    const { session_id } = await client.call("session.create", {});
    expect((await client.ask(method, { session_id })).error?.code).toBe(4012);
    expect((await client.ask(method, { session_id, process_id: "bg_9" })).error).toMatchObject({
      code: 4044,
      message: expect.stringContaining("bg_9"),
    });
  },
);
