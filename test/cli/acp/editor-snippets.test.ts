import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, type ParseError } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { checkLaunch } from "../../../src/cli/acp/bootstrap/check.ts";
import { lispCode, luaCode } from "../../../src/cli/acp/bootstrap/editor-code.ts";
import { argvOf, type Launch } from "../../../src/cli/acp/bootstrap/launch.ts";
import { BIN, CommandStage } from "../../kit/command.ts";

/** A launch with everything in it that has a meaning in some language. */
const ODD: Launch = {
  command: "/opt/my node/bin/node",
  args: ['/srv/it\'s "quoted" \\ ${HOME} #{x} [[ä🙂]]/agent.js', "tab\there\u0001 line\nbreak -- ; (", "acp"],
  env: { AGENT_HOME: '/home/a b/"c"\\d' },
};

const program = (file: string): string => fileURLToPath(new URL(`programs/${file}`, import.meta.url));

const isInstalled = (name: string, ...args: readonly string[]): boolean =>
  spawnSync(name, args, { stdio: "ignore" }).error === undefined;

const HAS_EMACS = isInstalled("emacs", "--version");
/** Programs that run a file of Lua. */
const LUA = [
  ["lua5.4", []],
  ["lua", []],
  ["luajit", []],
  ["nvim", ["--headless", "-u", "NONE", "-c", "lua dofile(vim.env.STUB)", "-c", "qa!"]],
] as const;
const LUAS = LUA.filter(([name]) => isInstalled(name, "-v"));

/** The launch that Emacs makes of a snippet: agent-shell is a double, everything else is Emacs. */
function inEmacs(stage: CommandStage, snippet: string): Launch {
  const file = join(stage.folder, "init.el");
  writeFileSync(file, snippet);
  const printed = execFileSync(
    "emacs",
    ["--batch", "-Q", "-l", program("agent-shell.el"), "-l", file, "-f", "print-launch"],
    {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: stage.folder, LANG: "C.UTF-8" },
    },
  );
  return JSON.parse(printed) as Launch;
}

/** The launch that a program of Lua makes of a snippet: CodeCompanion is a double. */
function inLua(stage: CommandStage, snippet: string, [name, args]: (typeof LUA)[number]): Launch {
  const file = join(stage.folder, "init.lua");
  writeFileSync(file, snippet);
  const stub = program("codecompanion.lua");
  const printed = execFileSync(name, args.length === 0 ? [stub] : args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: stage.folder, STUB: stub, SNIPPET: file },
  });
  return JSON.parse(printed) as Launch;
}

/** Whether brackets are closed in order and strings end, by the rules that both languages share. */
function isClosed(code: string): boolean {
  const open: string[] = [];
  const pieces = code.matchAll(/"(?:\\[\s\S]|[^"\\])*"|["()[\]{}]/g);
  for (const [piece] of pieces) {
    if (piece === '"') return false;
    if ("([{".includes(piece)) open.push(piece);
    else if (")]}".includes(piece) && `${open.pop() ?? ""}${piece}`.match(/^(\(\)|\[\]|\{\})$/) === null)
      return false;
  }
  return open.length === 0;
}

/** The strings of code, as both languages read those that have no control characters. */
const stringsIn = (code: string): readonly string[] =>
  [...code.matchAll(/"((?:\\[\s\S]|[^"\\])*)"/g)].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1"));

const snippetFor = async (stage: CommandStage, ide: string): Promise<string> =>
  (await stage.ask(["acp", "--bootstrap", "--ide", ide])).stdout;

/** What a client finds in the text of its JSON file. */
function read(text: string): unknown {
  const problems: ParseError[] = [];
  const value: unknown = parse(text, problems);
  expect(problems).toEqual([]);
  return value;
}

/** Starts what a snippet says, without any variable of the agent's; tells whether it works on the stage's home alone. */
async function worksOnHome(stage: CommandStage, launch: Launch): Promise<boolean> {
  const env = { HOME: stage.folder };
  const steps = await checkLaunch(launch, { cwd: stage.workspace, env });
  expect(steps.map(({ name, ok }) => [name, ok])).toEqual(
    ["initialize", "session/new", "session/delete", "stderr"].map((name) => [name, true]),
  );
  return existsSync(join(stage.home, "state.db")) && !existsSync(join(stage.folder, ".agent"));
}

describe("what --bootstrap prints", () => {
  const launchOf = {
    zed: (value: never) => value["agent_servers"]["Agent"],
    jetbrains: (value: never) => value["agent_servers"]["Agent"],
    vscode: (value: never) => value["acp.agents"]["Agent"],
    registry: (value: never) => value,
    acpx: (value: never) => {
      const [command, ...args] = value["agents"]["agent"]["argv"] as readonly [string, ...string[]];
      return { command, args, env: {} };
    },
  } as const satisfies Record<string, (value: never) => Launch>;

  test.each(Object.entries(launchOf))(
    "for %s is JSON whose command starts this agent on this home",
    async (ide, launch) => {
      await using stage = new CommandStage();
      const text = await snippetFor(stage, ide);
      expect(text).not.toContain("npx");
      const said = launch(read(text) as never);
      expect([said.command, ...said.args].filter((word) => isAbsolute(word))).toEqual(
        expect.arrayContaining([process.execPath, BIN]),
      );
      expect(await worksOnHome(stage, said)).toBe(true);
    },
  );

  test.each(["nvim", "emacs"])("for %s is code with the same command in it", async (ide) => {
    await using stage = new CommandStage();
    const text = await snippetFor(stage, ide);
    expect(isClosed(text)).toBe(true);
    expect(stringsIn(text)).toEqual(expect.arrayContaining([process.execPath, BIN, "acp"]));
    expect(text).toContain(stage.home);
  });

  test.runIf(HAS_EMACS)("for emacs adds an agent to agent-shell's (needs emacs)", async () => {
    await using stage = new CommandStage();
    const said = inEmacs(stage, await snippetFor(stage, "emacs"));
    expect(await worksOnHome(stage, said)).toBe(true);
    expect(inEmacs(stage, lispCode(ODD))).toEqual(ODD);
  });

  test.runIf(LUAS.length > 0)("for nvim sets an adapter up (needs a Lua, or nvim)", async () => {
    await using stage = new CommandStage();
    const snippet = await snippetFor(stage, "nvim");
    for (const lua of LUAS) {
      expect(await worksOnHome(stage, inLua(stage, snippet, lua))).toBe(true);
      expect(inLua(stage, luaCode(ODD), lua)).toEqual(ODD);
    }
  });

  test("closes what it opens and ends its strings, whatever a path is made of", () => {
    for (const code of [lispCode(ODD), luaCode(ODD)]) {
      expect(isClosed(code)).toBe(true);
      expect(stringsIn(code)).toContain(ODD.args[0]);
    }
    expect(isClosed('(a "b")')).toBe(true);
    for (const broken of ['(a "b"', "(a]", '(a "b', "a)"]) expect(isClosed(broken)).toBe(false);
  });

  test.each(["linux", "win32"])("sets variables in the command line itself on %s", async (platform) => {
    await using stage = new CommandStage();
    const env = { AGENT_HOME: join(stage.folder, `odd ' " % \\ home`) };
    mkdirSync(dirname(env.AGENT_HOME), { recursive: true });
    const shows = ["-e", "process.stdout.write(process.env.AGENT_HOME ?? '')"];
    const [command = "", ...args] = argvOf({ command: process.execPath, args: shows, env }, platform);
    expect(execFileSync(command, args, { encoding: "utf8", env: {} })).toBe(env.AGENT_HOME);
    expect(argvOf({ command, args: shows, env: {} }, platform)).toEqual([command, ...shows]);
  });
});
