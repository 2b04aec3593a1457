import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../../kit/model-server/index.ts";

interface TimelineJson {
  readonly turns: readonly {
    readonly started_at: number;
    readonly ended_at: number;
    readonly outcome: string;
    readonly spans: readonly { readonly kind: string; readonly first_at?: number }[];
    readonly totals_s: Readonly<Record<string, number>>;
  }[];
}

test("kill -9 in the middle of an answer: the time line names the gap, and its parts are the whole turn", async () => {
  await using server = await startModelServer();
  const held = gate();
  server.script(
    reply([say("First, a look. "), callTool("list_files", {})]),
    reply([say("half an answer "), waitAt(held)]),
    reply("All of it."),
  );
  await using stage = new CommandStage();
  stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`);
  const first = stage.start(["run", "--json", "go"]);
  await first.line((line) => line.includes("half an answer"));
  first.child.kill("SIGKILL");
  await first.end;
  expect((await stage.ask(["run", "-c", "again"])).code).toBe(0);
  const [{ id = "" } = {}] = JSON.parse((await stage.ask(["sessions", "--json"])).stdout) as {
    id?: string;
  }[];
  const json = (await stage.ask(["sessions", "timeline", id, "--json"])).stdout;
  const { turns } = JSON.parse(json) as TimelineJson;
  expect(turns.map(({ outcome }) => outcome)).toEqual(["interrupted", "completed"]);
  expect(turns[0]?.spans.map(({ kind }) => kind)).toEqual(["model", "tool", "crash"]);
  expect(turns[1]?.spans.map(({ kind }) => kind)).toEqual(["model"]);
  expect(turns[1]?.spans[0]?.first_at).toBeGreaterThan(turns[1]?.started_at ?? Infinity);
  for (const { started_at, ended_at, totals_s } of turns) {
    const whole = Object.values(totals_s).reduce((sum, seconds) => sum + seconds, 0);
    expect(whole).toBeCloseTo(ended_at - started_at, 3);
  }
  const { stdout } = await stage.ask(["sessions", "timeline", id]);
  expect(stdout).toMatch(/interrupted in .*\n> go\n.*killed or crashed/);
  expect(stdout).toMatch(/crash {6}the process died in this time, at a model call/);
  expect(stdout).toMatch(/\n\|[x█▓·]{60}\|\n/);
  const [older] =
    (await stage.ask(["sessions", "timeline", id, "-n", "1"])).stdout.match(/--before \d+/) ?? [];
  const page = await stage.ask(["sessions", "timeline", id, ...(older ?? "").split(" ")]);
  expect(page.stdout).toContain("> go");
  expect(page.stdout).not.toContain("> again");
});
