import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

interface Printed {
  readonly launch: { readonly command: string; readonly args: readonly string[]; readonly env: object };
  readonly editors: readonly { readonly id: string; readonly file?: string; readonly snippet: string }[];
}

const bootstrap = (stage: CommandStage, ...flags: readonly string[]) =>
  stage.ask(["acp", "--bootstrap", ...flags]);

const zedSettings = (stage: CommandStage): string => join(stage.folder, ".config", "zed", "settings.json");

describe("agent acp --bootstrap", () => {
  test("prints a snippet for each editor, with absolute paths and no keys", async () => {
    await using stage = new CommandStage();
    stage.env["OPENAI_API_KEY"] = "sk-canary-0123456789";
    const { stdout, code } = await bootstrap(stage);
    expect(code).toBe(0);
    expect(stdout).not.toContain("sk-canary");
    const printed = JSON.parse((await bootstrap(stage, "--json")).stdout) as Printed;
    expect(printed.editors.map(({ id }) => id)).toEqual([
      "zed",
      "jetbrains",
      "vscode",
      "nvim",
      "emacs",
      "acpx",
      "registry",
    ]);
    expect([printed.launch.command, printed.launch.args[0]].every((path) => isAbsolute(path ?? ""))).toBe(
      true,
    );
    expect(printed.launch.env).toEqual({ AGENT_HOME: stage.home });
  });

  test("prints one snippet alone, which is the file that the editor reads", async () => {
    await using stage = new CommandStage();
    const { stdout } = await bootstrap(stage, "--ide", "jetbrains");
    const { command, args } = (JSON.parse(stdout) as { agent_servers: { Agent: Printed["launch"] } })
      .agent_servers.Agent;
    const child = spawn(command, [...args], {
      env: { AGENT_HOME: stage.home },
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
    const [answer] = (await once(child.stdout, "data")) as [Buffer];
    expect(JSON.parse(answer.toString())).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
    child.stdin.end();
    await once(child, "close");
  });

  test("--write makes the file, or adds to it and keeps comments, other agents and a copy", async () => {
    await using stage = new CommandStage();
    const file = zedSettings(stage);
    expect((await bootstrap(stage, "--ide", "zed", "--write")).stdout).toContain("was made");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      agent_servers: { Agent: { type: "custom" } },
    });
    const mine =
      '// mine\n{\n  "theme": "dark", // at night\n  "agent_servers": { "Other": { "command": "o" } },\n}\n';
    writeFileSync(file, mine);
    const { stdout } = await bootstrap(stage, "--ide", "zed", "--write");
    const after = readFileSync(file, "utf8");
    for (const kept of ["// mine", "// at night", '"Other"', '"Agent"']) expect(after).toContain(kept);
    expect(stdout).toContain(`${file}.before-agent`);
    expect(readFileSync(`${file}.before-agent`, "utf8")).toBe(mine);
    expect((await bootstrap(stage, "--ide", "zed", "--write")).stdout).toContain("already");
    expect(readFileSync(file, "utf8")).toBe(after);
  });

  test("--write leaves a file alone that it cannot read, and says where it is wrong", async () => {
    await using stage = new CommandStage();
    const file = zedSettings(stage);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{\n  "theme" "dark"\n}\n');
    const { code, stderr } = await bootstrap(stage, "--ide", "zed", "--write");
    expect(code).toBe(1);
    expect(stderr).toContain("line 2");
    expect(readFileSync(file, "utf8")).toBe('{\n  "theme" "dark"\n}\n');
  });

  test.each([
    [["--write"], "--ide with one of"],
    [["--ide", "emacs", "--write"], "init file"],
    [["--ide", "ed"], "Allowed choices"],
  ])("says what is missing: %j", async (flags, words) => {
    await using stage = new CommandStage();
    const { code, stderr } = await bootstrap(stage, ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  test("--check starts the agent as an editor would, and leaves no session behind", async () => {
    await using stage = new CommandStage();
    const { code, stdout } = await bootstrap(stage, "--check");
    expect(stdout).toMatch(
      /^ok {4}initialize .*\nok {4}session\/new .*\nok {4}session\/delete .*\nok {4}stderr/,
    );
    expect(code).toBe(0);
    expect((await stage.ask(["sessions", "list", "--all", "--json"])).stdout.trim()).toBe("[]");
  });

  test("--check --ide starts what the editor's own file says, and tells what is wrong with it", async () => {
    await using stage = new CommandStage();
    const file = zedSettings(stage);
    const checked = () => bootstrap(stage, "--ide", "zed", "--check");
    expect((await checked()).stderr).toContain("--write");
    await bootstrap(stage, "--ide", "zed", "--write");
    const { code, stdout } = await checked();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {4}initialize /)]);
    const settings = (command: unknown): string =>
      `// mine\n{ "agent_servers": { "Agent": { "type": "custom", "command": ${JSON.stringify(command)} } } }`;
    writeFileSync(file, settings("/no/such/program"));
    expect(await checked()).toMatchObject({ code: 1, stdout: expect.stringContaining("FAIL  initialize") });
    writeFileSync(file, settings(7));
    expect((await checked()).stderr).toContain("agent_servers > Agent");
    expect((await bootstrap(stage, "--ide", "emacs", "--check")).stderr).toContain("code of yours");
  });

  test("--write and --check know the command line that acpx has instead of variables", async () => {
    await using stage = new CommandStage();
    const file = join(stage.folder, ".acpx", "config.json");
    mkdirSync(dirname(file));
    // As it was written once: acpx starts it, but on the user's own home.
    writeFileSync(file, '{ "agents": { "agent": { "command": "node", "args": [], "env": {} } } }');
    await bootstrap(stage, "--ide", "acpx", "--write");
    const { agents } = JSON.parse(readFileSync(file, "utf8")) as { agents: { agent: object } };
    expect(Object.keys(agents.agent)).toEqual(["argv"]);
    const checked = () => bootstrap(stage, "--ide", "acpx", "--check");
    expect(await checked()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {4}initialize /) });
    writeFileSync(file, '{ "agents": { "agent": { "argv": [7] } } }');
    expect((await checked()).stderr).toContain("agents > agent");
  });

  test("--check says what is wrong", async () => {
    await using stage = new CommandStage();
    stage.configure("approvals:\n  mode: sometimes\n");
    const { code, stdout } = await bootstrap(stage, "--check");
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL  session/new");
    expect(stdout).toContain("approvals.mode");
    expect(existsSync(join(stage.home, "config.yaml"))).toBe(true);
  });
});
