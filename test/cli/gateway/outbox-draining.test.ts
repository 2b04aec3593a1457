import { expect, test } from "vitest";
import { Outbox } from "../../../src/automation/delivery/index.ts";
import { systemClock } from "../../../src/core/index.ts";
import { readIdentity, sqliteStore } from "../../../src/providers/store/index.ts";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";
import { gate, reply, startModelServer, waitAt } from "../../kit/model-server/index.ts";

test("what comes into the outbox while a gateway lets turns end is left to the next process", async () => {
  const busy = gate();
  await using server = await startModelServer();
  server.script(reply([waitAt(busy)]));
  await using stage = new CommandStage();
  stage.configure(
    `model: {provider: local, base_url: ${JSON.stringify(server.baseUrl)}, default: m}\ngateway: {drain_timeout: 3}\n`,
  );
  const { command, url } = await startGateway(stage);
  const draining = new Promise<void>((resolve) => {
    command.child.stderr.on("data", (text: string) => {
      if (text.includes("gateway.draining")) resolve();
    });
  });
  const asked = fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${GATEWAY_KEY}` },
    body: JSON.stringify({ messages: [{ role: "user", content: "work" }] }),
  }).catch(() => undefined);
  await busy.reached;
  command.child.kill("SIGTERM");
  await draining;
  const store = await sqliteStore({ home: stage.home, identity: readIdentity(process.pid) });
  const outbox = new Outbox({
    records: store.records,
    clock: systemClock,
    // Nothing of it is sent here.
    senders: () => undefined,
    report: () => undefined,
  });
  await outbox.put({ id: "a", target: { kind: "log" }, text: "late", source: { kind: "job", id: "j" } });
  expect((await command.end).code).toBe(0);
  expect(await outbox.get("a")).toMatchObject({ status: "pending", attempts: 0 });
  busy.open();
  await asked;
  // The next one sends it.
  const next = await startGateway(stage);
  await untilSent(outbox, "a");
  next.command.child.kill("SIGTERM");
  await next.command.end;
  await store[Symbol.asyncDispose]();
});

async function untilSent(outbox: Outbox, id: string): Promise<void> {
  await expect.poll(async () => (await outbox.get(id))?.status, { timeout: 10_000 }).toBe("delivered");
}
