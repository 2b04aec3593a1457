import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CommandEnd } from "../kit/command-end.ts";
import { CommandStage } from "../kit/command.ts";
import { smallDisk } from "../kit/small-disk.ts";

/** One line that says what is wrong, and nothing else. */
function refusal({ code, stdout, stderr }: CommandEnd): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  // A home that is not there yet is said before.
  expect(stderr.replace(/^agent: The home [^\n]+\n/, "")).toMatch(/^agent: [^\n]+\n$/);
  return stderr;
}

describe("a home", () => {
  test("that is fresh takes twenty processes at once", async () => {
    await using stage = new CommandStage();
    const running: Promise<CommandEnd>[] = [];
    for (let index = 0; index < 20; index += 1) {
      running.push(stage.run(["run", "--demo", "hi"]));
      // Its input is closed in the next turn: a process that had to wait until all have begun would say so.
      await setImmediate();
    }
    const ends = await Promise.all(running);
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      ends.map(() => ({ code: 0, stderr: "" })),
    );
    const list: unknown = JSON.parse((await stage.ask(["sessions", "list", "--json"])).stdout);
    expect(list).toHaveLength(20);
  });

  test("with a database that is none is left as it is, and named", async () => {
    await using stage = new CommandStage();
    stage.write("state.db", "this is no database, but it is precious");
    expect(refusal(await stage.ask(["run", "--demo", "hi"]))).toContain(join(stage.home, "state.db"));
    expect(readFileSync(join(stage.home, "state.db"), "utf8")).toBe(
      "this is no database, but it is precious",
    );
  });

  test("that cannot be made says so", async () => {
    await using stage = new CommandStage();
    stage.write("file", "");
    stage.env["AGENT_HOME"] = join(stage.home, "file", "below");
    expect(refusal(await stage.ask(["run", "--demo", "hi"]))).toContain("AGENT_HOME");
  });

  test("on a file system that makes no folders says so, instead of trying for ever", async () => {
    await using stage = new CommandStage();
    stage.env["AGENT_HOME"] = "/proc/agent/home";
    expect(refusal(await stage.ask(["run", "--demo", "hi"]))).toContain("AGENT_HOME");
  });

  test("on a read-only or full disk says so, and works again when there is space", async (context) => {
    const disk = await smallDisk(8_000_000);
    if (typeof disk === "string") return context.skip(disk);
    await using used = disk;
    await using stage = new CommandStage();
    stage.env["AGENT_HOME"] = join(used.folder, "home");
    expect(await stage.ask(["run", "--demo", "hi"])).toMatchObject({ code: 0 });
    used.fill();
    expect(refusal(await stage.ask(["run", "--demo", "hi"]))).toMatch(/space/);
    used.clear();
    expect(await stage.ask(["run", "--demo", "hi"])).toMatchObject({ code: 0, stderr: "" });
    await used.makeReadOnly();
    expect(refusal(await stage.ask(["run", "--demo", "hi"]))).toMatch(/cannot be opened for writing/);
  });
});

describe("config.yaml", () => {
  test.each([
    ["approvals: [", /config\.yaml is no valid YAML: .*line 1/],
    ["- a\n- b\n", /must hold keys and values/],
    ["approvals:\n  mode: sometimes\n", /approvals\.mode .* is "sometimes": .*manual/],
    ["limits:\n  iterations: many\n", /limits\.iterations .* is "many"/],
    ["model:\n  provider: nobody\n", /model\.provider/],
    ["model:\n  provider: local\n  base_url: not an address\n", /model\.base_url/],
    ["model:\n  provider: local\n  base_ur: http://127.0.0.1:1\n", /base_ur/],
    ["toolsets:\n  cli: [files, fils]\n", /toolsets\.cli\.1 .* is "fils": .*files, terminal/],
    ["toolsets:\n  cil: [files]\n", /toolsets .*"cil"/],
  ])("%j is refused with the key, the problem and the file", async (text, problem) => {
    await using stage = new CommandStage();
    stage.configure(text);
    expect(refusal(await stage.ask(["run", "--demo", "hi"]))).toMatch(problem);
  });

  test("keeps its comments when a command changes it", async () => {
    await using stage = new CommandStage();
    stage.configure("# mine\nmodel:\n  # the small one\n  provider: demo\n  default: demo # for now\n");
    expect(await stage.ask(["model", "demo:demo"])).toMatchObject({ code: 0 });
    const text = readFileSync(join(stage.home, "config.yaml"), "utf8");
    for (const comment of ["# mine", "# the small one", "# for now"]) expect(text).toContain(comment);
    expect((await stage.ask(["model"])).stdout).toContain("Default model: demo:demo");
  });

  test("may have blocks whose settings are all comments, which a change fills", async () => {
    await using stage = new CommandStage();
    stage.configure("approvals:\n  # mode: manual\nmodel:\n  # provider: openai\n");
    expect(await stage.ask(["run", "--demo", "hi"])).toMatchObject({ code: 0 });
    expect(await stage.ask(["model", "demo:demo"])).toMatchObject({ code: 0 });
    const text = readFileSync(join(stage.home, "config.yaml"), "utf8");
    for (const kept of ["# mode: manual", "# provider: openai", "provider: demo"])
      expect(text).toContain(kept);
  });

  test("is not needed, and the environment wins over .env", async () => {
    await using stage = new CommandStage();
    stage.write(
      ".env",
      "CLOUD_FOUNDRY_BASE_URL=http://127.0.0.1:1/v1\nCLOUD_FOUNDRY_API_KEY=from-the-file\n",
    );
    stage.configure("model:\n  provider: cloud-foundry\n  default: gpt-4o\nretries: { tries: 1 }\n");
    expect((await stage.ask(["run", "hi"])).stderr).toContain("127.0.0.1:1");
    stage.env["CLOUD_FOUNDRY_BASE_URL"] = "http://127.0.0.1:2/v1";
    expect((await stage.ask(["run", "hi"])).stderr).toContain("127.0.0.1:2");
  });
});

describe("agent sessions", () => {
  test("lists, shows and deletes", async () => {
    await using stage = new CommandStage();
    expect((await stage.ask(["sessions"])).stdout).toBe("No sessions.\n");
    await stage.ask(["run", "count to 3"]);
    const list = JSON.parse((await stage.ask(["sessions", "list", "--json"])).stdout) as {
      id: string;
      title: string;
    }[];
    const id = list[0]?.id ?? "";
    expect(list).toMatchObject([
      { title: "count to 3", turn_count: 1, status: "idle", damaged: false, source: "cli" },
    ]);
    expect((await stage.ask(["sessions", "show", id])).stdout).toContain("> count to 3");
    expect(JSON.parse((await stage.ask(["sessions", "show", "--json", "count to 3"])).stdout)).toMatchObject({
      id,
      messages: [{ role: "user", content: "count to 3" }, { role: "assistant" }],
    });
    expect(await stage.ask(["sessions", "delete", id, "nope"])).toMatchObject({
      code: 1,
      stdout: `Deleted ${id}.\n`,
      stderr: "agent: Session not found: nope. `agent sessions list --all` shows them.\n",
    });
    expect((await stage.ask(["sessions"])).stdout).toBe("No sessions.\n");
  });
});

describe("agent doctor", () => {
  test("is content with a fresh home", async () => {
    await using stage = new CommandStage();
    const { code, stdout } = await stage.ask(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ok\s+config/);
    expect(stdout).toMatch(/ok\s+store/);
    expect(stdout).toMatch(/ok\s+provider\s+none configured: the built-in demo model answers/);
  });

  test("says what is wrong, and exits with 1", async () => {
    await using stage = new CommandStage();
    stage.configure("model:\n  provider: local\n  base_url: http://127.0.0.1:1/v1\n  default: m\n");
    const { code, stdout } = await stage.ask(["doctor", "--json"]);
    expect(code).toBe(1);
    const checks = JSON.parse(stdout) as { name: string; ok: boolean; text: string }[];
    expect(checks.find(({ name }) => name === "provider")).toMatchObject({
      ok: false,
      text: expect.stringContaining("127.0.0.1:1"),
    });
  });

  test("knows what would keep the gateway from starting", async () => {
    await using stage = new CommandStage();
    stage.configure("timezone: Mars/Olympus\n");
    const zone = await stage.ask(["doctor"]);
    expect(zone).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAIL\s+gateway\s+timezone in/) });
    stage.configure("");
    stage.write(".env", "API_SERVER_ENABLED=true\nAPI_SERVER_KEY=short\n");
    const key = await stage.ask(["doctor"]);
    expect(key).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAIL\s+gateway\s+API_SERVER_KEY has/),
    });
  });
});

describe("the command", () => {
  test("knows its version and its help, and what was probably meant", async () => {
    await using stage = new CommandStage();
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await stage.run(["--version"])).toMatchObject({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
    for (const args of [["--help"], ["run", "--help"], ["sessions", "--help"]]) {
      const { code, stdout, stderr } = await stage.ask(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("Usage: agent");
    }
    expect((await stage.ask(["help", "run"])).stdout).toBe((await stage.ask(["run", "--help"])).stdout);
    const wrong = await stage.ask(["sesions"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain("Did you mean sessions?");
    expect((await stage.ask(["sessions", "shwo"])).stderr).toContain("Did you mean show?");
    expect((await stage.ask(["help", "nope"])).stderr).toContain('There is no command "nope"');
    expect((await stage.ask(["help", "jobs", "create"])).stdout).toContain("Usage: agent jobs create|add");
    expect((await stage.ask(["jobs", "rm"])).stderr).toMatch(
      /missing .* 'id'\nRun `agent jobs remove --help`/,
    );
    for (const args of [["--nope"], ["--session", "", "hi"], ["--model", " ", "hi"]])
      expect(await stage.ask(["run", ...args])).toMatchObject({ code: 2, stdout: "" });
    expect(await stage.ask(["sessions", "list", "-n", ""])).toMatchObject({ code: 2, stdout: "" });
    expect(readdirSync(stage.home)).toEqual([]);
  });

  test("says once that its home is new", async () => {
    await using stage = new CommandStage();
    const home = join(stage.folder, "mistyped");
    stage.env["AGENT_HOME"] = home;
    expect((await stage.ask(["run", "--help"])).stderr).toBe("");
    const words = `agent: The home ${home}, which AGENT_HOME names, is not there yet: this is a new one, without settings and sessions.\n`;
    expect((await stage.ask(["run", "--demo", "hi"])).stderr).toBe(words);
    expect((await stage.ask(["run", "--demo", "hi"])).stderr).toBe("");
  });

  test("says on stderr that the demo answers, unless it was chosen", async () => {
    await using stage = new CommandStage();
    expect((await stage.ask(["run", "hi"])).stderr).toBe(
      "agent: No model is configured: the built-in demo model answers. `agent setup` sets a model up, --demo silences this.\n",
    );
    for (const chosen of [["--demo"], ["-m", "demo"]])
      expect((await stage.ask(["run", ...chosen, "hi"])).stderr).toBe("");
    stage.configure("model: { provider: demo }\n");
    expect((await stage.ask(["run", "hi"])).stderr).toBe("");
  });
});
