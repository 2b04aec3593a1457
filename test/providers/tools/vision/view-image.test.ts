import { describe, expect, test } from "vitest";
import { viewImageTool, type ImageFetcher } from "../../../../src/providers/tools/vision/view-image.ts";
import { smallPng } from "../../../kit/small-png.ts";
import { toolStage } from "../../../kit/tool-context.ts";
import { scratch } from "../scratch.ts";

const web: ImageFetcher = {
  fetch: (url) => Promise.resolve({ bytes: url.endsWith("cat.png") ? smallPng() : Buffer.from("<html>") }),
};

describe("view_image", () => {
  test("shows a file of the workspace with what it is asked for, and where it is", async () => {
    await using dir = await scratch();
    await dir.write({ "in/cat.png": smallPng({ width: 30, height: 20 }) });
    const stage = toolStage({ cwd: dir.at("in") });
    const tool = viewImageTool({ platform: "linux", apart: [], home: "/home/me" });
    const { result } = await stage.run(tool, { path: "cat.png", question: "Which colour?" });
    expect(result).toMatchObject({
      outcome: "ok",
      content: [
        {
          type: "text",
          text: /^cat\.png is an image \(image\/png, 30 × 20 pixels, \d+ bytes\):\n.*Which colour\?$/,
        },
        { type: "image", mediaType: "image/png", name: "cat.png" },
      ],
    });
    expect(stage.blobs.size).toBe(1);
  });

  test("shows an image of the web, and names neither its query nor its secrets", async () => {
    const stage = toolStage({ cwd: "/" });
    const tool = viewImageTool({ platform: "linux", apart: [], home: "/home/me", imagesFor: () => web });
    expect(await stage.permit(tool, { url: "https://cats.test/cat.png" })).toEqual({
      verdict: "allow",
      reaches: ["https://cats.test/cat.png"],
    });
    const { text, result } = await stage.run(tool, { url: "https://cats.test/cat.png" });
    expect(text).toMatch(/^cats\.test\/cat\.png is an image/);
    expect(result.content).toHaveLength(2);
    expect((await stage.run(tool, { url: "https://cats.test/?key=secret" })).text).toMatch(
      /^cats\.test\/ is no PNG/,
    );
  });

  test("refuses what is outside the workspace, no image, damaged, or both at once", async () => {
    await using dir = await scratch();
    await dir.write({
      "in/text.png": "hello",
      "in/cut.png": smallPng().subarray(0, 12),
      "out/cat.png": smallPng(),
    });
    const stage = toolStage({ cwd: dir.at("in") });
    const tool = viewImageTool({ platform: "linux", apart: [], home: "/home/me" });
    const said = async (input: unknown): Promise<string> => (await stage.run(tool, input)).text;
    expect(await said({ path: "../out/cat.png" })).toMatch(/outside/);
    expect(await said({ path: "text.png" })).toMatch(/no PNG, JPEG, GIF or WebP image/);
    expect(await said({ path: "cut.png" })).toMatch(/damaged/);
    expect(await said({ path: "none.png" })).toMatch(/none\.png/);
    expect(await said({ url: "https://cats.test/cat.png" })).toMatch(/cannot be viewed here/);
    for (const input of [{}, { path: "a", url: "b" }])
      expect(await said(input)).toMatch(/either path or url/);
    expect(stage.blobs.size).toBe(0);
  });

  test("has no files where there is no workspace", async () => {
    const stage = toolStage({ cwd: "", roots: [] });
    const { result } = await stage.run(viewImageTool({ platform: "linux", apart: [], home: "/home/me" }), {
      path: "/etc/cat.png",
    });
    expect(result.outcome).toBe("error");
  });
});
