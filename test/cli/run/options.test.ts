import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BIN, CommandStage, OPEN } from "../../kit/command.ts";
import { type Answer, callTool, field, reply, say, startModelServer } from "../../kit/model-server/index.ts";

const onServer = async (...answers: readonly Answer[]) => {
  const stage = new CommandStage();
  const server = await startModelServer();
  server.script(...answers);
  stage.configure(
    `model: { provider: local, base_url: "${server.baseUrl}", default: m }\nsessions: { auto_title: false }\n`,
  );
  return {
    stage,
    server,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server.close();
    },
  };
};

describe("what is piped in beside a prompt", () => {
  test("is added to it without a -, from a pipe and from a file; a command gets none", async () => {
    await using stage = new CommandStage();
    const piped = await stage.run(["run", "--json", "Explain this"], { stdin: "an error\n" });
    expect(piped.stdout).toContain(JSON.stringify("Explain this\n\nan error"));
    writeFileSync(join(stage.workspace, "log.txt"), "from a file\n");
    const shell = async (line: string): Promise<string> => {
      const child = spawn("sh", ["-c", line], {
        cwd: stage.workspace,
        env: { PATH: process.env["PATH"], AGENT_HOME: stage.home, NODE: process.execPath, BIN },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      await once(child, "close");
      return stdout;
    };
    expect(await shell('"$NODE" "$BIN" run --json "Explain this" < log.txt')).toContain(
      JSON.stringify("Explain this\n\nfrom a file"),
    );
    expect(await shell('"$NODE" "$BIN" run --json "Explain this" < /dev/null')).toContain('"Explain this"');
    expect(await shell('"$NODE" "$BIN" run --json "Explain this" <&-')).toContain('"Explain this"');
    expect((await stage.run(["run", "/help"], { stdin: "words\n" })).stdout).toMatch(/^Commands:\n/);
  });

  test("is waited for while a program of the pipeline holds it, however long that is silent", async () => {
    await using stage = new CommandStage();
    const env = { PATH: process.env["PATH"], AGENT_HOME: stage.home, NODE: process.execPath, BIN };
    // The writer is silent for longer than a pipe of unknown origin would be waited for.
    const line = '(sleep 2.5; echo late words) | "$NODE" "$BIN" run --json "Explain this"';
    const child = spawn("sh", ["-c", line], { cwd: stage.workspace, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    await once(child, "close");
    expect(stdout).toContain(JSON.stringify("Explain this\n\nlate words"));
  });

  test("is given up, which is said, when it was inherited and never closes", async () => {
    await using stage = new CommandStage();
    const command = stage.start(["run", "hi"], { stdin: OPEN });
    expect(await command.end).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("demo model"),
      stderr: expect.stringContaining("stdin is open and nothing came from it"),
    });
  });
});

describe("the output of agent run", () => {
  test("json is one object at the end, with the last reply, what was used and what was denied", async () => {
    await using kit = await onServer(
      reply([say("First I look."), callTool("terminal", { command: "touch a.txt" })]),
      reply("It was not to be."),
    );
    const { code, stdout, stderr } = await kit.stage.ask(["run", "--output", "json", "go"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^agent: denied: touch a\.txt\. Not run: it needs an approval.*\n$/);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "result",
      outcome: "completed",
      exit_code: 3,
      text: "It was not to be.",
      denied: [{ tool: "terminal", label: "touch a.txt", reason: expect.stringContaining("no terminal") }],
      usage: { calls: 2 },
    });
    const text = await kit.stage.ask(["run", "--output", "text", "/help"]);
    expect(text.stdout).toMatch(/^Commands:/);
  });

  test("json holds the error of a turn that failed, which stderr has too", async () => {
    await using kit = await onServer({ status: 401, body: '{"error":{"message":"Incorrect API key"}}' });
    const { code, stdout, stderr } = await kit.stage.ask(["run", "--output", "json", "go"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "failed",
      exit_code: 1,
      error: { code: "provider_auth", message: expect.stringContaining("Incorrect API key") },
    });
    expect(stderr).toMatch(/^agent: .*Incorrect API key.*\n$/);
  });

  test("stream-json is what --json prints", async () => {
    await using stage = new CommandStage();
    const lines = (await stage.ask(["run", "--output", "stream-json", "count to 3"])).stdout
      .trim()
      .split("\n");
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect([types[0], types.at(-1)]).toEqual(["session.start", "turn.end"]);
  });
});

describe("the rules and limits of one run", () => {
  test("--allow lets a command run that would be refused, and is kept nowhere", async () => {
    await using stage = new CommandStage();
    const made = join(stage.workspace, "new.txt");
    const prompt = "run `touch new.txt`";
    expect((await stage.ask(["run", prompt])).code).toBe(3);
    expect(existsSync(made)).toBe(false);
    expect((await stage.ask(["run", "--allow", "touch new.txt", prompt])).code).toBe(0);
    expect(existsSync(made)).toBe(true);
    expect(existsSync(join(stage.home, "config.yaml"))).toBe(false);
    expect(await stage.ask(["run", "--allow", "rm *", prompt])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^agent: The rule "rm \*" was not kept/),
    });
  });

  test("--deny forbids what would run, and the exit code says so", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "a.txt"), "words of a file");
    const args = ["run", "--deny", "cat *", "run `cat a.txt`"];
    const { code, stdout, stderr } = await stage.ask(args);
    expect(code).toBe(3);
    expect(stdout).not.toContain("words of a file");
    expect(stderr).toContain("denied: cat a.txt. Not run: the owner's rule `cat *`");
  });

  test("--max-turns ends a turn that goes on and on", async () => {
    await using kit = await onServer(
      ...Array.from({ length: 5 }, () => reply([callTool("list_files", { path: "." })])),
    );
    const { code, stderr } = await kit.stage.ask(["run", "--max-turns", "2", "go"]);
    expect([code, stderr]).toEqual([1, "agent: The turn used its 2 model calls. Send a prompt to go on.\n"]);
    expect(kit.server.requests).toHaveLength(2);
    expect((await kit.stage.ask(["run", "--max-turns", "0", "go"])).code).toBe(2);
  });

  test("--cwd is where it works", async () => {
    await using stage = new CommandStage();
    mkdirSync(join(stage.workspace, "inner"));
    expect((await stage.ask(["run", "--cwd", "inner", "run `pwd`"])).stdout).toContain(
      join(stage.workspace, "inner"),
    );
    expect(await stage.ask(["run", "--cwd", "nowhere", "hi"])).toMatchObject({
      code: 2,
      stderr: "agent: --cwd nowhere is no folder that is there.\n",
    });
  });
});

describe("--schema", () => {
  const SCHEMA = JSON.stringify({
    type: "object",
    properties: { name: { type: "string" }, size: { type: "integer", minimum: 1 } },
    required: ["name", "size"],
    additionalProperties: false,
  });
  const run = (kit: Awaited<ReturnType<typeof onServer>>, ...args: readonly string[]) => {
    writeFileSync(join(kit.stage.workspace, "answer.schema.json"), SCHEMA);
    return kit.stage.ask(["run", "--schema", "answer.schema.json", ...args, "Which file is the largest?"]);
  };

  test("prints the checked JSON alone, whatever stands around it in the answer", async () => {
    await using kit = await onServer(
      reply('Here it is:\n```json\n{"name": "a.bin", "size": 12}\n```\nGood luck.'),
    );
    expect(await run(kit)).toMatchObject({ code: 0, stdout: '{"name":"a.bin","size":12}\n', stderr: "" });
    const { body } = await kit.server.request(1);
    expect(JSON.stringify(body)).toContain("must match this JSON Schema");
  });

  test("lets the model repair an answer once, and tells it what is wrong", async () => {
    await using kit = await onServer(
      reply('{"name": "a.bin", "size": 0}'),
      reply('{"name": "a.bin", "size": 12}'),
    );
    const { code, stdout } = await run(kit, "--output", "json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      structured: { name: "a.bin", size: 12 },
      usage: { calls: 2 },
    });
    const { body } = await kit.server.request(2);
    expect(JSON.stringify(field(body, "messages"))).toMatch(/does not match the JSON Schema: size: /);
  });

  test("fails after one try to repair, with an empty stdout", async () => {
    await using kit = await onServer(
      reply("No idea."),
      reply("Really not."),
      reply('{"name":"late","size":1}'),
    );
    expect(await run(kit)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^agent: The answer does not match the schema, .*: it is not JSON\.\n$/),
    });
    expect(kit.server.requests).toHaveLength(2);
  });

  test("refuses a file that is no schema before anything is asked", async () => {
    await using kit = await onServer();
    writeFileSync(join(kit.stage.workspace, "list.json"), "[1, 2]");
    for (const [file, problem] of [
      ["list.json", "is no JSON Schema"],
      ["gone.json", "cannot be read"],
    ] as const)
      expect(await kit.stage.ask(["run", "--schema", file, "x"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(problem),
      });
    expect(kit.server.requests).toEqual([]);
  });
});
