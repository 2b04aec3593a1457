import { once } from "node:events";
import { createServer } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage, type RunningCommand } from "../../kit/command.ts";

/** What a command says of an address on stderr, once it listens. */
function address(command: RunningCommand, pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  command.child.stderr.on("data", (text: string) => {
    said += text;
    const found = pattern.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  });
  void command.end.then(({ stderr }) => reject(new Error(stderr)));
  return promise;
}

test("gateways report to the panel that they are told of, and the public sees it", async () => {
  await using panel = new CommandStage();
  await using box = new CommandStage();
  const added = await panel.ask(["fleet", "add", "box-1"]);
  const token = /FLEET_TOKEN=(\w{64})/.exec(added.stdout)?.[1] ?? "";
  const serving = panel.start(["fleet", "serve", "--listen", "127.0.0.1:0"]);
  const url = await address(serving, /(http:\S+)\/status\.html/);
  expect(await (await fetch(`${url}/status`)).json()).toMatchObject({ status: "degraded" });
  const base = url.replace("/api/plugins/agent-infra-panel", "");
  box.configure(
    `fleet: {panel_url: "${base}", instance: box-1}\nplatforms: {webhook: {enabled: true, extra: {host: 127.0.0.1, port: 0}}}\n`,
  );
  Object.assign(box.env, { FLEET_TOKEN: token, WEBHOOK_SECRET: "0123456789abcdef-secret" });
  const gateway = box.start(["gateway"]);
  await address(gateway, /webhook connector on (\S+)/);
  await expect
    .poll(async () => await (await fetch(`${url}/status`)).json())
    .toMatchObject({ status: "operational" });
  expect((await panel.ask(["fleet"])).stdout).toContain("1 of 1 instances online");
  expect((await panel.ask(["fleet", "incident", "open", "Slow", "--text", "We look into it."])).code).toBe(0);
  expect(await (await fetch(`${url}/status.html`)).text()).toContain("We look into it.");
  for (const { child, end } of [gateway, serving]) {
    child.kill("SIGTERM");
    expect((await end).code).toBe(0);
  }
});

test("a gateway that is told of a panel and not of its token does not start", async () => {
  await using stage = new CommandStage();
  stage.configure(
    "fleet: {panel_url: 'http://127.0.0.1:1', instance: a}\nplatforms: {webhook: {enabled: true, extra: {port: 0}}}\n",
  );
  const { code, stderr } = await stage.ask(["gateway"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("FLEET_TOKEN is not set")]);
});

test.each([
  ["platforms: {messenger_12: {enabled: true}}", "platforms.messenger_12 cannot be enabled"],
  ["platforms: {qq: {enabled: true, token: t}}", "platforms.qq.from is missing"],
  ["platforms: {qq: {enabled: true, from: a}}", "QQ_TOKEN is not set"],
  ["platforms: {matrix: {enabled: true, token: t}}", "platforms.matrix.base_url is missing"],
  [
    "platforms: {signal: {enabled: true, base_url: 'http://127.0.0.1:1'}}",
    "platforms.signal.from is missing",
  ],
  ["platforms: {email: {enabled: true, host: h}}", "platforms.email.from is missing"],
])("a delivery target that cannot work is an error that says what to do: %s", async (config, message) => {
  await using stage = new CommandStage();
  stage.configure(`${config}\n`);
  expect((await stage.ask(["jobs"])).stderr).toContain(message);
});

test("an enabled platform can be delivered to, under both of its names", async () => {
  await using stage = new CommandStage();
  const bodies: string[] = [];
  const server = createServer((incoming, response) => {
    void readAll(incoming).then((body) => {
      bodies.push(body);
      response.end('{"ok":true}');
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  stage.configure(
    `platforms: {slack: {enabled: true, base_url: "http://127.0.0.1:${port}", home_channel: home}}\n`,
  );
  stage.env["SLACK_TOKEN"] = "xoxb-test-token";
  const made = await stage.ask([
    "jobs",
    "create",
    "every 1d",
    "count to 3",
    "--name",
    "Count",
    "--deliver",
    "all,slack:C7,messenger_3:C8",
    "--json",
  ]);
  const { id } = JSON.parse(made.stdout) as { id: string };
  expect((await stage.ask(["jobs", "run", id])).stdout).toBe("1 2 3\n");
  const sent = bodies.map((body) => JSON.parse(body) as { channel: string; text: string });
  expect(sent.map(({ channel }) => channel).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "C7",
    "C8",
    "home",
  ]);
  expect(new Set(sent.map(({ text }) => text))).toEqual(new Set(["Count\n\n1 2 3"]));
  server.close();
});

test("the front address has a certificate of its own, and says which connectors are off", async () => {
  await using stage = new CommandStage();
  stage.configure("front: {api_port: 1, webhook_port: 1}\n");
  const serve = () => stage.start(["front", "--host", "127.0.0.1", "--port", "0"]);
  const first = serve();
  const url = await address(first, /front address on (https:\S+)/);
  const pem = readFileSync(join(stage.home, "front", "cert.pem"), "utf8");
  expect(new X509Certificate(pem).subjectAltName).toContain("127.0.0.1");
  expect(statSync(join(stage.home, "front", "key.pem")).mode & 0o777).toBe(0o600);
  const answer = await new Promise<string>((resolve, reject) => {
    request(
      `${url}/v1/models`,
      { ca: pem },
      (response) => void readAll(response).then((text) => resolve(`${response.statusCode} ${text}`)),
    )
      .on("error", reject)
      .end();
  });
  expect(answer).toMatch(/^503 \{"error":"connector_not_enabled"/);
  first.child.kill("SIGTERM");
  expect((await first.end).code).toBe(0);
  const second = serve();
  await address(second, /front address on (https:\S+)/);
  expect(readFileSync(join(stage.home, "front", "cert.pem"), "utf8")).toBe(pem);
  second.child.kill("SIGTERM");
  await second.end;
});
