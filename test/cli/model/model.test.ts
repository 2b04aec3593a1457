import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { CommandStage } from "../../kit/command.ts";
import { reply, startModelServer } from "../../kit/model-server/index.ts";

test("a provider that is not configured is refused, with how to add it, on every way to name it", async () => {
  await using stage = new CommandStage();
  for (const args of [
    ["model", "groq:llama-3.3-70b"],
    ["run", "-m", "groq:llama-3.3-70b", "hi"],
  ])
    expect(await stage.ask(args)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(
        "`agent setup --provider groq --model llama-3.3-70b`, put its key into GROQ_API_KEY",
      ),
    });
  expect((await stage.ask(["model", "anthropic:claude-sonnet-4-5"])).stderr).toContain(
    "agent setup --provider anthropic --model claude-sonnet-4-5",
  );
});

test("a name with a colon is a model's when its server lists it, and refused when nobody knows it", async () => {
  await using server = await startModelServer({ models: ["llama3:8b"] });
  await using stage = new CommandStage();
  stage.configure(`model: { provider: local, base_url: "${server.baseUrl}", default: m }\n`);
  expect(await stage.ask(["model", "llama3:8b"])).toMatchObject({
    code: 0,
    stdout: "Default model: local:llama3:8b\n",
  });
  expect(await stage.ask(["model", "locale:llama3"])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /no provider named locale.* Did you mean local:llama3\? .*`agent setup --base-url URL/,
    ),
  });
  expect(await stage.ask(["model", "local:un:listed"])).toMatchObject({ code: 0 });
  expect(await stage.ask(["run", "-m", "locale:llama3", "hi"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("no provider named locale"),
  });
  expect(server.requests).toHaveLength(0);
});

test("provider/model, as other agents write it, is a model of that provider unless the name is listed whole", async () => {
  await using server = await startModelServer({ models: ["small", "local/whole"] });
  await using stage = new CommandStage();
  stage.configure(`model: { provider: local, base_url: "${server.baseUrl}", default: m }\n`);
  for (const [written, meant] of [
    ["local/small", "local:small"],
    ["local/whole", "local:local/whole"],
    ["other/small", "local:other/small"],
  ] as const)
    expect(await stage.ask(["model", written])).toMatchObject({
      code: 0,
      stdout: `Default model: ${meant}\n`,
    });
  server.script(reply("Hello."));
  expect(await stage.ask(["run", "-m", "local/small", "hi"])).toMatchObject({ code: 0, stdout: "Hello.\n" });
  expect(server.requests[0]?.body).toMatchObject({ model: "small" });
});

test("the settings of the provider that was the default go along with it", async () => {
  await using stage = new CommandStage();
  stage.configure(
    'model:\n  provider: local # mine\n  base_url: "http://127.0.0.1:1/v1"\n  key_env: MY_KEY\n  default: qwen3\n  providers:\n    work: { kind: messages }\n',
  );
  expect(await stage.ask(["model", "work:claude"])).toMatchObject({ code: 0 });
  const model = (): unknown => parse(readFileSync(join(stage.home, "config.yaml"), "utf8")).model;
  const old = { base_url: "http://127.0.0.1:1/v1", key_env: "MY_KEY", default: "qwen3" };
  expect(model()).toEqual({
    provider: "work",
    default: "claude",
    providers: { work: { kind: "messages" }, local: old },
  });
  expect(await stage.ask(["model", "local"])).toMatchObject({
    code: 0,
    stdout: "Default model: local:qwen3\n",
  });
});
