import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { startGateway } from "../../kit/gateway-command.ts";
import { untilRecord } from "../../kit/home-records.ts";
import { Receiver } from "../../kit/receiver.ts";
import { Webhook } from "../../kit/standard-webhooks.ts";

/** Lets a home send events to this machine, and adds an address there. */
async function addressOn(stage: CommandStage, receiver: Receiver, flags: readonly string[] = []) {
  stage.configure("webhooks: {private_hosts: [127.0.0.1]}\n");
  const made = await stage.ask(["webhook", "out", "add", receiver.url, ...flags]);
  const id = /addr_\w+/.exec(made.stdout)?.[0] ?? "";
  const secret = /whsec_\S+/.exec(made.stdout)?.[0] ?? "";
  return { id, secret };
}

test("an address is managed by commands, shows its secret once, and is tested", async () => {
  await using receiver = await Receiver.start();
  await using stage = new CommandStage();
  const { id, secret } = await addressOn(stage, receiver, ["--events", "turn.failed", "--text", "on"]);
  expect(statSync(join(stage.home, "webhook_addresses.json")).mode & 0o777).toBe(0o600);
  const tested = await stage.ask(["webhook", "out", "test", id]);
  expect(tested.stdout).toMatch(/^Delivered evt_\w+\.addr_\w+: 200 told 200/);
  const [{ headers, body }] = receiver.received as [Receiver["received"][number]];
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "webhook.test" });

  const renewed = (await stage.ask(["webhook", "out", "secret", id])).stdout.trim();
  receiver.answer = 500;
  const failed = await stage.ask(["webhook", "out", "test", id]);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("answered 500")]);
  const again = receiver.received[1];
  expect(new Webhook(renewed).verify(again?.body ?? "", again?.headers ?? {})).toBeTruthy();
  receiver.answer = 200;
  const sentId = /evt_\w+\.addr_\w+/.exec((await stage.ask(["webhook", "out", "sent"])).stdout)?.[0] ?? "";
  expect((await stage.ask(["webhook", "out", "redeliver", sentId])).stdout).toContain("Delivered");
  const shown = (await stage.ask(["webhook", "out", "show", sentId, "--json"])).stdout;
  expect(JSON.parse(shown)).toMatchObject({
    status: "delivered",
    type: "webhook.test",
    tries: [{ status: 500, answer: "told 500" }, { status: 200 }],
  });

  expect((await stage.ask(["webhook", "out", "change", id, "--events", "job.failed"])).stdout).toContain(
    "job.failed",
  );
  expect((await stage.ask(["webhook", "out", "change", id, "--events", "job.faild"])).stderr).toContain(
    "Did you mean",
  );
  expect((await stage.ask(["webhook", "out", "off", id])).stdout).toContain("is off");
  const listed = await stage.ask(["webhook", "out", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { id, enabled: false, events: ["job.failed"], include_text: true },
  ]);
  expect(listed.stdout + shown).not.toMatch(/whsec_/);
  expect((await stage.ask(["webhook", "out", "on", id])).stdout).toContain("is on");
  expect((await stage.ask(["webhook", "out", "remove", id])).code).toBe(0);
  expect((await stage.ask(["webhook", "out", "show", id])).stderr).toContain("There is no address");
  const refused = await stage.ask(["webhook", "out", "add", "http://10.0.0.1/x"]);
  expect(refused.stderr).toContain("private address");
});

test("what happened while nobody sent is sent later; kill -9 loses nothing, and what comes twice has one id", async () => {
  await using receiver = await Receiver.start();
  await using stage = new CommandStage();
  const { secret } = await addressOn(stage, receiver);
  expect((await stage.ask(["run", "say hello"])).code).toBe(0);
  receiver.answer = "hang";
  const first = await startGateway(stage);
  const began = await receiver.first(({ event }) => event.type === "session.started");
  expect(new Webhook(secret).verify(began.body, began.headers)).toBeTruthy();
  await receiver.first(({ event }) => event.type === "turn.completed");
  first.command.child.kill("SIGKILL");
  await first.command.end;
  // The next two are in the log when the gateway dies, and in no outbox yet, or in one.
  expect((await stage.ask(["run", "say good-bye"])).code).toBe(0);
  receiver.answer = 200;
  const before = receiver.received.length;
  const second = await startGateway(stage);
  await untilRecord(stage, "outgoing.delivery", /(?:"status":"delivered"[\s\S]*){4}/);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"] ?? "");
  expect(new Set(ids).size).toBe(4);
  // Those that were on their way when the gateway died came again.
  expect(ids.slice(0, before).every((id) => ids.lastIndexOf(id) >= before)).toBe(true);
  expect(receiver.types.filter((type) => type === "turn.completed").length).toBeGreaterThanOrEqual(3);
  second.command.child.kill("SIGTERM");
  expect((await second.command.end).stderr).not.toContain(secret);
});
