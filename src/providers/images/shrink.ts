import type Sharp from "sharp";
import { toHostError, toolFailed } from "../../shared/errors/host-error.ts";
import { imageSize, imageTypeOf } from "../../shared/content/image-header.ts";
import type { FittedImage, ImageLimits } from "../../shared/content/image-fitter.ts";

/** Pixels of the largest image that is decoded; the header says how many there are before that. */
const MOST_PIXELS = 64_000_000;
const SECONDS = 20;

/** The attempts, from the best picture to the smallest file; sides as shares of the allowed side. */
const ATTEMPTS: readonly (readonly [side: number, quality: number | "as it was"])[] = [
  [1, "as it was"],
  [1, 85],
  [0.75, 75],
  [0.5, 60],
];

/**
 * Makes an image fit limits, upright as its camera was held; of an animation it keeps the first picture.
 *
 * @throws HostError `tool_failed`
 */
export async function shrink(bytes: Uint8Array, limits: ImageLimits): Promise<FittedImage> {
  const size = imageSize(bytes);
  if (size === undefined) throw toolFailed("it is damaged");
  if (size.width * size.height > MOST_PIXELS)
    throw toolFailed(`it has ${size.width} × ${size.height} pixels, more than are taken apart`);
  const sharp = await loadSharp();
  const isPhoto = imageTypeOf(bytes) === "image/jpeg";
  for (const [share, quality] of ATTEMPTS) {
    const side = Math.round(limits.side * share);
    const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error" })
      .autoOrient()
      .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
      .timeout({ seconds: SECONDS });
    const isJpeg = isPhoto || quality !== "as it was";
    const encoded = isJpeg
      ? image.flatten({ background: "white" }).jpeg({ quality: quality === "as it was" ? 90 : quality })
      : image.png();
    const fitted = await encoded.toBuffer().catch((cause: unknown) => {
      throw toolFailed(`it cannot be taken apart (${firstLine(toHostError(cause).message)})`, cause);
    });
    if (fitted.length <= limits.bytes)
      return { bytes: fitted, mediaType: isJpeg ? "image/jpeg" : "image/png" };
  }
  throw toolFailed("it cannot be made small enough");
}

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 200) ?? "";

let loaded: Promise<typeof Sharp> | undefined;

/** @throws HostError `tool_failed` where the library has no build for this machine */
function loadSharp(): Promise<typeof Sharp> {
  loaded ??= import("sharp").then(
    ({ default: sharp }) => {
      sharp.cache(false);
      sharp.concurrency(1);
      // The library knows many formats; strangers' bytes reach the readers of four only.
      sharp.block({ operation: ["VipsForeignLoad"] });
      sharp.unblock({ operation: LOADERS });
      return sharp;
    },
    (cause: unknown) => {
      throw toolFailed(
        "it is too large, and the package sharp, which makes images smaller, is not installed",
        cause,
      );
    },
  );
  return loaded;
}

const LOADERS = [
  "VipsForeignLoadPngBuffer",
  "VipsForeignLoadJpegBuffer",
  "VipsForeignLoadWebpBuffer",
  "VipsForeignLoadNsgifBuffer",
];
