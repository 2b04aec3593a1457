import { HostError } from "../core/index.ts";
import type { ImageSource } from "../http/index.ts";
import type { Fetcher } from "../providers/fetch/index.ts";

const LARGEST_IMAGE = 20 * 2 ** 20;
const TIMEOUT_MS = 30_000;

/** Images by their address, through the one guarded way to other people's servers. */
export function imageSource(fetcher: Fetcher): ImageSource {
  return {
    async fetch(url, signal) {
      const accept = (mediaType: string): boolean => mediaType.startsWith("image/");
      const request = { url, signal, maxBytes: LARGEST_IMAGE, timeoutMs: TIMEOUT_MS, accept };
      const { status, bytes, mediaType } = await fetcher.fetch(request);
      if (status !== 200) throw new HostError("fetch_failed", `Its server answered ${status}.`);
      return { bytes, mediaType };
    },
  };
}
