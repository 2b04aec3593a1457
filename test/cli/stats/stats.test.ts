import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { reply, startModelServer } from "../../kit/model-server/index.ts";

/** Of one group: the line of a name, in a table of `agent stats --json`. */
interface Sums {
  readonly [key: string]: unknown;
}

interface Report {
  readonly total: Sums;
  readonly by_day: readonly Sums[];
  readonly by_model: readonly Sums[];
  readonly by_surface: readonly Sums[];
  readonly by_folder: readonly Sums[];
}

test("agent stats adds up sessions, turns and tokens once, copies of sessions left out, in 60 columns", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const said = (await stage.ask(["stats"])).stdout;
  expect(said).toBe("Nothing was used: no turn ran in the last 30 days.\n");
  stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`);
  server.script(reply("One."), reply("Two."), reply("Three."), reply("Four."));
  await stage.ask(["run", "hi"]);
  await stage.ask(["run", "-c", "more"]);
  const before = await report(stage);
  // The copy has the turns of its source in its log.
  expect((await stage.ask(["run", "-c", "/branch"])).code).toBe(0);
  await stage.ask(["run", "-m", "local:another-model", "elsewhere"]);
  const {
    total,
    by_day: days,
    by_model: models,
    by_surface: surfaces,
    by_folder: folders,
  } = await report(stage);
  expect(before.total).toMatchObject({ sessions: 1, turns: 2, model_calls: 2 });
  expect(total).toMatchObject({ sessions: 2, turns: 3, model_calls: 3 });
  expect(models.map(({ model, turns }) => [model, turns])).toEqual(
    expect.arrayContaining([
      ["local:test-model", 2],
      ["local:another-model", 1],
    ]),
  );
  const tokens = (lines: readonly Sums[]): number =>
    lines.reduce((sum, line) => sum + Number(line["input_tokens"]), 0);
  expect(tokens([total])).toBeGreaterThan(0);
  for (const lines of [days, models, surfaces, folders]) expect(tokens(lines)).toBe(tokens([total]));
  expect(surfaces).toMatchObject([{ surface: "agent run" }]);
  expect(folders).toHaveLength(1);
  const { code, stdout } = await stage.ask(["stats", "--days", "2"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^The last 2 days +sessions +turns +in +out +cost\nTotal +2 +3 /);
  expect(stdout).toMatch(/\nDay .*\n\d{4}-\d\d-\d\d +\d/);
  for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(60);
  expect((await stage.ask(["stats", "--days", "0"])).code).toBe(2);
});

async function report(stage: CommandStage): Promise<Report> {
  const { stdout } = await stage.ask(["usage", "--json"]);
  return JSON.parse(stdout) as Report;
}
