import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { imageTypeOf } from "../../shared/content/image-header.ts";
import type { ImageSource } from "../../http/index.ts";
import type { Fetcher } from "../../providers/fetch/index.ts";

const LARGEST_IMAGE = 20 * 2 ** 20;
const TIMEOUT_MS = 30_000;

/**
 * Images by their address, through the one guarded way to other people's servers.
 *
 * @param mayReach - whether a redirect may lead to another host; any by default
 */
export function imageSource(fetcher: Fetcher, mayReach?: (host: string) => boolean): ImageSource {
  return {
    async fetch(url, signal) {
      const limits = { maxBytes: LARGEST_IMAGE, timeoutMs: TIMEOUT_MS, ...defined({ mayReach }) };
      const request = { url, signal, ...limits, accept: mayBeImage };
      const { status, bytes, mediaType: said } = await fetcher.fetch(request);
      if (status !== 200) throw new HostError("fetch_failed", `Its server answered ${status}.`);
      const mediaType = imageTypeOf(bytes) ?? said;
      if (mediaType.startsWith("image/")) return { bytes, mediaType };
      throw new HostError("fetch_failed", `Its server sent ${said || "something"}, which is no image.`);
    },
  };
}

/** Stores of files often know no types. */
const mayBeImage = (mediaType: string): boolean =>
  mediaType.startsWith("image/") ||
  ["", "application/octet-stream", "binary/octet-stream"].includes(mediaType);
