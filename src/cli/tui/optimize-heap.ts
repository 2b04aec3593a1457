import { setFlagsFromString } from "node:v8";
import type { Connect } from "../../rpc/client/index.ts";

/**
 * Keeps the heap of this process near what is in use, from the first connection on. A client is open all day and
 * mostly waits: left to itself its heap would stand at twice of that after some hundred turns. Not sooner: code that
 * was compiled in an earlier run is taken only while the flags are as they were then.
 */
export const optimizeHeapForSize =
  (connect: Connect): Connect =>
  async (sink, signal) => {
    const link = await connect(sink, signal);
    setFlagsFromString("--optimize-for-size");
    return link;
  };
