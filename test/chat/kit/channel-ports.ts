import { chatFetch } from "../../../src/app/chat/chat-fetch.ts";
import { openChatSocket } from "../../../src/app/chat/chat-socket.ts";
import { openChatStream } from "../../../src/app/chat/chat-stream.ts";
import type { ChannelPorts } from "../../../src/chat/index.ts";
import { systemClock } from "../../../src/core/index.ts";

/** The outside of a channel by itself, and the notes that it has written. */
export function portsTo(baseUrl: string): ChannelPorts & { readonly written: Map<string, string> } {
  const written = new Map<string, string>();
  return {
    fetch: chatFetch(baseUrl, {
      clock: systemClock,
      proxies: { http: undefined, https: undefined, direct: [] },
    }),
    socket: openChatSocket,
    connect: openChatStream,
    clock: systemClock,
    random: () => 0.5,
    notes: {
      all: () => Promise.resolve(written),
      put: (key, value) => Promise.resolve(void written.set(key, value)),
    },
    written,
    report: () => undefined,
  };
}
