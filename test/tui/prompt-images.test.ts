import { expect, test } from "vitest";
import type { Gateway } from "../../src/tui/gateway.ts";
import { PromptImages } from "../../src/tui/prompt-images.ts";

test("an image is attached while its mark stands in the text, also when the text comes back later", async () => {
  const asked: string[] = [];
  const request = (async (method: string, params: { readonly path: string }) => {
    asked.push(`${method} ${params.path}`);
  }) as unknown as Gateway["request"];
  const gateway = { request };
  const images = new PromptImages();
  expect(images.add("s", { path: "/a/x.png", name: "x.png" })).toBe("[image x.png]");
  images.add("s", { path: "/b/x.png", name: "x.png" });
  images.add("other", { path: "/c/y.png", name: "y.png" });
  await images.match("s", "one [image x.png]", gateway);
  expect(asked.splice(0)).toEqual(["image.detach /b/x.png"]);
  images.sent("s");
  await images.match("s", "nothing", gateway);
  expect(asked.splice(0)).toEqual([]);
  await images.match("s", "[image x.png] and [image x.png]", gateway);
  expect(asked.splice(0)).toEqual(["image.attach /a/x.png", "image.attach /b/x.png"]);
  await images.match("other", "words", gateway);
  expect(asked).toEqual(["image.detach /c/y.png"]);
});
