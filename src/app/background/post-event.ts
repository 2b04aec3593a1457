import type { PostEvent } from "../../automation/outgoing/index.ts";
import type { Fetcher } from "../../providers/fetch/index.ts";

const LARGEST_ANSWER = 256 * 1024;
const TIMEOUT_MS = 15_000;

type BytesToPost = Omit<Parameters<PostEvent>[0], "body"> & { readonly body: string | Uint8Array };

/** Posts events through the guarded way: where an address leads is looked up once for each try, and checked. */
export const postEvent =
  (fetcher: Fetcher) =>
  async ({ url, headers, body, signal }: BytesToPost): ReturnType<PostEvent> => {
    const limits = { maxBytes: LARGEST_ANSWER, timeoutMs: TIMEOUT_MS };
    const answer = await fetcher.fetch({ url, method: "POST", headers, body, signal, ...limits });
    const text = Buffer.from(answer.bytes).toString("utf8");
    return { status: answer.status, text, retryAfter: answer.headers["retry-after"] };
  };
