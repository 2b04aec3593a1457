import { hostname } from "node:os";
import { expect, test } from "vitest";
import { packageVersion } from "../../../src/app/process/version.ts";
import { CommandStage } from "../../kit/command.ts";
import { startGateway } from "../../kit/gateway-command.ts";
import { testDatabase, testPostgres } from "../../kit/postgres/index.ts";

const hasServer = (await testPostgres()) !== undefined;

test("on one machine it says so", async () => {
  await using stage = new CommandStage();
  const { stdout, code } = await stage.ask(["cluster", "status"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^One machine: the store is SQLite in .*home\. With store\.url/),
  ]);
  expect(stdout).toContain("No other process uses it now.\n");
  const json: unknown = JSON.parse((await stage.ask(["cluster", "status", "--json"])).stdout);
  expect(json).toEqual({ database: null, hosts: [], differences: [] });
});

test.skipIf(!hasServer)(
  "the hosts of a database are listed, and each tells in what they differ",
  async () => {
    await using database = await testDatabase();
    await using one = new CommandStage();
    await using two = new CommandStage();
    const store = `store: { url: '${database.url}' }\n`;
    one.configure(store);
    two.configure(`${store}limits: { iterations: 7 }\ncluster: { adopt_workspaces: true }\n`);
    const first = await startGateway(one);
    const second = await startGateway(two, ["--log-format", "json"]);
    const asked = async (): Promise<Status> =>
      JSON.parse((await one.ask(["cluster", "status", "--json"])).stdout) as Status;
    await expect.poll(async () => (await asked()).hosts.length, { timeout: 30_000 }).toBe(2);
    const status = await asked();
    const pids = [first, second].map(({ command }) => command.child.pid);
    expect(new Set(status.hosts.map(({ pid }) => pid))).toEqual(new Set(pids));
    expect(status.hosts[0]).toMatchObject({
      machine: hostname(),
      version: packageVersion(),
      alive: true,
      running: 0,
    });
    expect(status.database).toMatchObject({ schema: expect.any(Number), latency_ms: expect.any(Number) });
    expect(status.differences.map(({ topic }) => topic)).toEqual(["approvals"]);
    const { stdout } = await two.ask(["cluster", "status"]);
    expect(stdout).toMatch(/^postgres:\/\/\S+: PostgreSQL \d+\.\d+, schema \d+, answers in/);
    expect(stdout).toMatch(/\nDiffers: approvals: .* \| .*\. Make it the same on each machine\.\n$/);
    const checked = await two.ask(["doctor"]);
    expect(checked.stdout).toMatch(
      /\nFAIL {2}database .*: PostgreSQL .* fsync is off: what was confirmed can be lost/,
    );
    second.command.child.kill("SIGTERM");
    const { stderr } = await second.command.end;
    expect(stderr).toContain('"event":"cluster.differs"');
    expect((await asked()).hosts.map(({ pid }) => pid)).toEqual([first.command.child.pid]);
  },
);

interface Status {
  readonly database: unknown;
  readonly hosts: readonly { readonly pid: number }[];
  readonly differences: readonly { readonly topic: string }[];
}
