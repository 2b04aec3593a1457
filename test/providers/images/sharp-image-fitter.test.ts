import { randomFillSync } from "node:crypto";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { imageSize, imageTypeOf } from "../../../src/shared/content/image-header.ts";
import { SharpImageFitter } from "../../../src/providers/images/index.ts";
import { smallPng } from "../../kit/small-png.ts";

const LIMITS = { side: 100, bytes: 20_000 };
const fitter = new SharpImageFitter();
const fit = (bytes: Uint8Array, key: string) => fitter.fit(bytes, { key, limits: LIMITS });

const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 20, b: 20, alpha: 0.5 } } });

/** A picture that no format makes small. */
function noise(side: number) {
  const pixels = randomFillSync(Buffer.alloc(side * side * 3));
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } });
}

describe("an image that is too large", () => {
  test.each(["png", "jpeg", "webp", "gif"] as const)("is made smaller when it is a %s", async (format) => {
    const bytes = await plain(400, 200).toFormat(format).toBuffer();
    expect(imageTypeOf(bytes)).toBe(`image/${format}`);
    expect(imageSize(bytes)).toEqual({ width: 400, height: 200 });
    const fitted = await fit(bytes, format);
    expect(imageTypeOf(fitted.bytes)).toBe(fitted.mediaType);
    expect(imageSize(fitted.bytes)).toEqual({ width: 100, height: 50 });
    expect(await fit(bytes, format)).toBe(fitted);
  });

  test("keeps what shines through, as long as it fits", async () => {
    const { mediaType, bytes } = await fit(await plain(300, 300, 4).png().toBuffer(), "alpha");
    expect(mediaType).toBe("image/png");
    expect((await sharp(bytes).metadata()).hasAlpha).toBe(true);
  });

  test("is turned as the camera was", async () => {
    const lying = await plain(300, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(imageSize((await fit(lying, "lying")).bytes)).toEqual({ width: 67, height: 100 });
  });

  test("becomes a photograph, and a smaller one, when its file is too large", async () => {
    const bytes = await noise(300).png().toBuffer();
    const { mediaType, bytes: small } = await fitter.fit(bytes, {
      key: "noise",
      limits: { side: 200, bytes: 30_000 },
    });
    expect(mediaType).toBe("image/jpeg");
    expect(small.length).toBeLessThanOrEqual(30_000);
    const tight = { key: "noise", limits: { side: 200, bytes: 500 } };
    await expect(fitter.fit(bytes, tight)).rejects.toMatchObject({
      code: "tool_failed",
      message: /small enough/,
    });
  });
});

describe("a hostile image", () => {
  const failed = { name: "HostError", code: "tool_failed" };

  test("with more pixels than memory is refused by its header, before it is taken apart", async () => {
    const bomb = smallPng({ width: 60_000, height: 60_000 });
    await expect(fit(bomb, "bomb")).rejects.toMatchObject({ ...failed, message: /60000 × 60000 pixels/ });
  });

  test("that is cut off, lies about its size, or is another format, is an error and nothing more", async () => {
    const whole = await noise(200).jpeg().toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const [key, bytes] of [
      ["cut", whole.subarray(0, 2000)],
      ["lie", smallPng({ width: 3000, height: 3000 })],
      ["svg", svg],
      ["empty", new Uint8Array()],
    ] as const)
      await expect(fit(bytes, key), key).rejects.toMatchObject(failed);
    // The next one is none the worse for it.
    expect((await fit(whole, "whole")).mediaType).toBe("image/jpeg");
  });

  test("has a header that is read without looking behind its end", async () => {
    for (const format of ["png", "jpeg", "webp", "gif"] as const) {
      const bytes = await plain(20, 10).toFormat(format).toBuffer();
      for (let length = 0; length < Math.min(bytes.length, 400); length += 1)
        expect([undefined, { width: 20, height: 10 }]).toContainEqual(imageSize(bytes.subarray(0, length)));
    }
  });
});
