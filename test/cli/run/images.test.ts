import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { reply, startModelServer } from "../../kit/model-server/index.ts";
import { smallPng } from "../../kit/small-png.ts";

const onServer = async (...more: readonly string[]) => {
  const stage = new CommandStage();
  const server = await startModelServer();
  const lines = ["provider: local", `base_url: "${server.baseUrl}"`, "default: m", ...more];
  stage.configure(`model: { ${lines.join(", ")} }\nsessions: { auto_title: false }\n`);
  const picture = (name: string): void => writeFileSync(join(stage.workspace, name), smallPng());
  return {
    stage,
    server,
    picture,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server.close();
    },
  };
};

test("the images of --image and -i go along with the prompt, counted from where the command was given", async () => {
  await using kit = await onServer("vision: true");
  kit.server.script(reply("Two pixels."));
  kit.picture("one.png");
  kit.picture("two.png");
  const run = ["run", "--cwd", "..", "--image", "one.png", "-i", "two.png", "What is it?"];
  expect(await kit.stage.ask(run)).toMatchObject({ code: 0, stdout: "Two pixels.\n" });
  const sent = JSON.stringify(kit.server.requests[0]?.body);
  expect(sent).toContain("What is it?");
  expect(sent.match(/data:image\/png;base64,/g)).toHaveLength(2);
});

test("a path that is no image is wrong usage, and nothing is asked", async () => {
  await using kit = await onServer("vision: true");
  const { stage, server } = kit;
  writeFileSync(join(stage.workspace, "words.png"), "no image");
  writeFileSync(join(stage.workspace, "huge.png"), Buffer.concat([smallPng(), Buffer.alloc(26 * 2 ** 20)]));
  const wrong = {
    "none.png": /^agent: --image: Cannot read \S+none\.png: there is no such file or folder\.\n$/,
    "words.png": /^agent: --image: \S+words\.png is no PNG, JPEG, GIF, WebP or BMP image\.\n$/,
    "huge.png": /^agent: --image: \S+huge\.png is larger than 25 MB\.\n$/,
    ".": /^agent: --image: Cannot read .*\n$/,
  };
  for (const [path, stderr] of Object.entries(wrong))
    expect(await stage.ask(["run", "--image", path, "go"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(stderr),
    });
  expect(server.requests).toHaveLength(0);
});

test("a model that does not look at images is refused before it is asked", async () => {
  await using kit = await onServer("vision: false");
  kit.picture("one.png");
  expect(await kit.stage.ask(["run", "-i", "one.png", "go"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("local:m does not look at images. Choose a model that does with -m"),
  });
  expect(kit.server.requests).toHaveLength(0);
});

test("a run fails whose model turns out to take no image", async () => {
  await using kit = await onServer();
  kit.picture("one.png");
  kit.server.script({ status: 400, body: '{"error":{"message":"no images"}}' }, reply("I see nothing."));
  expect(await kit.stage.ask(["run", "-i", "one.png", "go"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("local:m refused the image: the answer was made without it."),
  });
});
