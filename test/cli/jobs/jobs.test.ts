import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

interface ShownJob {
  readonly id: string;
  readonly state: string;
  readonly next_run_at: string;
  readonly last_status: string | null;
  readonly schedule: { readonly kind: string };
}

async function madeJob(stage: CommandStage, ...args: readonly string[]): Promise<ShownJob> {
  const { stdout, stderr } = await stage.ask(["jobs", "create", ...args, "--json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout) as ShownJob;
}

const jobsOf = async (stage: CommandStage, ...args: readonly string[]): Promise<readonly ShownJob[]> =>
  JSON.parse((await stage.ask(["jobs", "list", "--json", ...args])).stdout) as readonly ShownJob[];

test("a job can be made, seen, changed, paused, resumed and removed from the command line", async () => {
  await using stage = new CommandStage();
  stage.configure("timezone: Europe/Berlin\n");
  const job = await madeJob(stage, "weekdays at 9am", "Say hello", "--name", "Greeting");
  expect(job).toMatchObject({ state: "scheduled", schedule: { kind: "cron" } });
  expect(job.next_run_at).toMatch(/T09:00:00\+0[12]:00$/);
  expect((await stage.ask(["jobs"])).stdout).toContain("Greeting (weekdays at 09:00)");
  expect((await stage.ask(["jobs", "edit", job.id, "--schedule", "every 2h"])).stdout).toContain("every 2h");
  expect((await stage.ask(["jobs", "pause", job.id, "--reason", "holidays"])).code).toBe(0);
  expect(await jobsOf(stage)).toEqual([]);
  expect(await jobsOf(stage, "--all")).toMatchObject([{ state: "paused", paused_reason: "holidays" }]);
  expect((await stage.ask(["jobs", "resume", job.id])).stdout).toContain("next run");
  expect((await stage.ask(["jobs", "remove", job.id])).code).toBe(0);
  const gone = await stage.ask(["jobs", "show", job.id]);
  expect(gone).toMatchObject({
    code: 1,
    stderr: "agent: Job not found. `agent jobs list --all` shows them.\n",
  });
});

test("a job that is run now prints its answer, keeps it in a file, and its session can be read", async () => {
  await using stage = new CommandStage();
  const { id } = await madeJob(stage, "every 1d", "Say hello");
  const run = await stage.ask(["jobs", "run", id, "And be brief."]);
  expect(run.stdout).toContain("Say hello\n\nAnd be brief.");
  const [file = ""] = readdirSync(join(stage.home, "jobs", id));
  expect(readFileSync(join(stage.home, "jobs", id, file), "utf8")).toContain("You said: Say hello");
  const runs = JSON.parse((await stage.ask(["jobs", "runs", id, "--json"])).stdout) as {
    session_id: string;
  }[];
  const shown = await stage.ask(["sessions", "show", runs[0]?.session_id ?? ""]);
  expect(shown.stdout).toContain("Say hello");
});

test("a tick runs what is due, once, also when several come at the same time", async () => {
  await using stage = new CommandStage();
  const soon = new Date(Date.now() - 60_000).toISOString();
  const { id } = await madeJob(stage, soon, "Say hello");
  const ticks = await Promise.all([1, 2, 3].map(() => stage.ask(["jobs", "tick"])));
  expect(ticks.map(({ code }) => code)).toEqual([0, 0, 0]);
  const runs = JSON.parse((await stage.ask(["jobs", "runs", id, "--json"])).stdout) as unknown[];
  expect(runs).toMatchObject([{ status: "ok", trigger: "schedule" }]);
  expect(await jobsOf(stage, "--all")).toMatchObject([{ state: "completed", last_status: "ok" }]);
});

test.each([
  [["every never", "Hi"], "Invalid schedule"],
  [["every 1h"], "nothing to run"],
  [["every 1h", "cat ~/.env"], "'read_secrets'"],
  [["every 1h", "Hi", "--deliver", "messenger_1"], "delivery target"],
  [["every 1h", "Hi", "--deliver", "lcoal"], "Did you mean local?"],
  [["every 1h", "Hi", "--deliver", "code_host_comment"], "routes of webhooks have and jobs have not"],
  [["every 1h", "Hi", "--deliver", "log:7"], "one place only"],
  [["every 1h", "Hi", "--provider", "nowhere"], "nowhere"],
])("%j is refused with a line that says why", async (args, message) => {
  await using stage = new CommandStage();
  const { code, stderr } = await stage.ask(["jobs", "create", ...args]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("a job whose target was switched off since runs to its end, and says that its text went nowhere", async () => {
  await using stage = new CommandStage();
  stage.env["MATTERMOST_TOKEN"] = "t";
  stage.configure(
    "platforms:\n  mattermost: {enabled: true, base_url: 'http://127.0.0.1:1', home_channel: h}\n",
  );
  const { id } = await madeJob(stage, "every 1d", "Say hello", "--deliver", "mattermost");
  stage.configure("");
  const run = await stage.ask(["jobs", "run", id]);
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining("Say hello")]);
  const [job] = await jobsOf(stage);
  expect(job).toMatchObject({
    last_status: "ok",
    last_delivery_error: expect.stringContaining('delivery target "mattermost"'),
  });
  const runs = JSON.parse((await stage.ask(["jobs", "runs", id, "--json"])).stdout) as unknown[];
  expect(runs).toMatchObject([{ status: "ok" }]);
});

test("a time zone that does not exist is an error that names the key", async () => {
  await using stage = new CommandStage();
  stage.configure("timezone: Middle/Earth\n");
  expect((await stage.ask(["jobs"])).stderr).toContain("timezone in ");
});
