import { describe, expect, test } from "vitest";
import { decodeBase64, decodeDataUrl } from "../../../src/shared/content/data-url.ts";
import { growthOf } from "../../kit/linear.ts";

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);

describe("a data URL", () => {
  test.each([
    ["data:image/png;base64,aGk=", "image/png", "hi"],
    ["DATA:Image/PNG;name=a.png;base64,aGk", "image/png", "hi"],
    ["data:;base64,aGk%3D", "", "hi"],
    ["data:text/plain,h%C3%A9", "text/plain", "hé"],
  ])("%s is decoded", (url, mediaType, content) => {
    const decoded = decodeDataUrl(url);
    expect(decoded?.mediaType).toBe(mediaType);
    expect(text(decoded?.bytes)).toBe(content);
  });

  test.each([
    "https://example.com/a.png",
    "data:image/png;base64",
    "data:image/png;base64,",
    "data:image/png;base64,a!b?",
    "data:image/png;base64,%%%",
    "data:text/plain,%",
    "data:text/plain,",
  ])("%s is none", (url) => {
    expect(decodeDataUrl(url)).toBeUndefined();
  });
});

test("base64 may be of either alphabet, without padding, and in lines", () => {
  expect(text(decodeBase64("aGVs\nbG8"))).toBe("hello");
  expect([...(decodeBase64("-_-_") ?? [])]).toEqual([...(decodeBase64("+/+/") ?? [])]);
  expect(decodeBase64("")).toBeUndefined();
  expect(decodeBase64("aGVsb")).toBeUndefined();
  expect(decodeBase64("data:aGk=")).toBeUndefined();
});

test("decoding takes time in proportion to the length", () => {
  const growth = growthOf({
    input: (length) => `data:image/png;base64,${"A".repeat(length)}`,
    work: decodeDataUrl,
    smallest: 2 ** 16,
    largest: 2 ** 22,
  });
  expect(growth).toBeUndefined();
});
