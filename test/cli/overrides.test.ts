import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inOurWords } from "../../src/cli/words-of-others.ts";
import { CommandStage, OPEN } from "../kit/command.ts";
import { reply, startModelServer } from "../kit/model-server/index.ts";

const KEY = "0123456789abcdef0123456789abcdef";

test("--set overrides file and environment in this process alone, also names with dots and lists", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(reply("One."), reply("Two."));
  const file = `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`;
  stage.configure(file);
  const words = ["--set", "model.default=m-1.5", "--set", 'model.models."m-1.5".context_length=9000'];
  const changed = await stage.ask(["run", ...words, "--set", "toolsets.cli=[todo]", "hi"]);
  expect(changed).toMatchObject({ code: 0, stdout: "One.\n" });
  expect(await stage.ask(["run", "hi"])).toMatchObject({ code: 0, stdout: "Two.\n" });
  const [one, two] = server.requests.map(({ body }) => JSON.stringify(body));
  expect(one).toContain('"m-1.5"');
  expect(one).not.toContain('"terminal"');
  expect(two).toContain('"test-model"');
  expect(two).toContain('"terminal"');
  expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toBe(file);
  // The environment of the stage names the backend `local`.
  const { stdout } = await stage.ask(["doctor", "--set", "terminal.backend=auto"]);
  expect(stdout).not.toContain("terminal.backend: local");
});

test("a gateway takes overrides, and they win over its variables", async () => {
  await using stage = new CommandStage();
  Object.assign(stage.env, { API_SERVER_KEY: KEY, API_SERVER_ENABLED: "false", API_SERVER_PORT: "1" });
  const words = ["platforms.api_server.enabled=true", "platforms.api_server.extra.port=0"];
  const gateway = stage.start(["gateway", ...words.flatMap((word) => ["--set", word])], { stdin: OPEN });
  await new Promise<void>((resolve) => {
    let said = "";
    gateway.child.stderr.on("data", (text: string) => {
      said += text;
      if (/http:\/\/127\.0\.0\.1:\d{2,}/.test(said)) resolve();
    });
  });
  gateway.child.kill("SIGTERM");
  expect(await gateway.end).toMatchObject({ code: 0 });
});

test.each([
  [["foo=1"], 2, "foo in --set is no setting."],
  [["limits.iteratons=5"], 2, "limits.iteratons in --set is no setting. Did you mean limits.iterations?"],
  [["limits.iterations=lots"], 2, 'limits.iterations in --set is "lots": it must be a number.'],
  [["detached.foo=1"], 2, "detached.foo in --set is no setting. The configuration reference"],
  [["platforms.api_server.extra.prot=1"], 2, "Did you mean platforms.api_server.extra.port?"],
  [["model.defualt=x"], 2, "model.defualt in --set is no setting. Did you mean default?"],
  [["model.api_key=abcdef"], 2, "model.api_key holds a secret"],
  [["mcp_servers.a.env={API_TOKEN: abcdef}"], 2, "mcp_servers.a.env holds a secret"],
  [["limits"], 2, "--set takes a key of config.yaml with its value"],
  [["limits.iterations="], 2, "--set limits.iterations= has no value."],
  [["__proto__.x=1"], 2, "__proto__ in --set is no setting."],
] as const)("--set %j is refused", async (words, code, message) => {
  await using stage = new CommandStage();
  const end = await stage.ask(["run", "--demo", ...words.flatMap((word) => ["--set", word]), "hi"]);
  expect([end.code, end.stdout]).toEqual([code, ""]);
  expect(end.stderr).toContain(message);
  expect(end.stderr).not.toContain("abcdef");
});

test("settings of exec are ours where they mean the same", () => {
  const given = [
    "exec",
    "-c",
    'model="m"',
    "-c",
    "sandbox_mode=read-only",
    "--config=limits.iterations=3",
    "hi",
  ];
  expect(inOurWords(given)).toEqual([
    "run",
    "--model",
    "m",
    "--mode",
    "plan",
    "--set",
    "limits.iterations=3",
    "hi",
  ]);
});
