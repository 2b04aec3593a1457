import { argument, command, commandGroup, flag, JSON_FLAG, option, positive } from "../command.ts";

const LIST = {
  platform: option("<name>", "of one platform only, such as telegram"),
  limit: option("<count>", "at most so many, the newest first", { read: positive, otherwise: 50 }),
  json: JSON_FLAG,
} as const;

/** `agent chat`: messages that people wrote to the agent on chat platforms. */
export const CHATS_COMMAND = commandGroup(
  "chat",
  "messages that came from chat platforms, and what became of them",
  [
    command("list", "list accepted messages", {
      takes: LIST,
      load: async () => (await import("./messages.ts")).listMessages,
    }),
    command("failed", "list messages that have no answer", {
      takes: LIST,
      load: async () => (await import("./messages.ts")).listFailed,
    }),
    command("replay", "answer a message once more; the gateway does it", {
      takes: { id: argument("<id>") },
      load: async () => (await import("./messages.ts")).replayMessage,
    }),
  ],
);

/** `agent pair`: lets somebody in who was told a code. */
export const PAIR_COMMAND = command("pair", "let somebody in whom the agent told a pairing code in a chat", {
  takes: {
    code: argument("[code]", "the open codes are listed without one"),
    refuse: flag("take the code back instead: it lets nobody in any more"),
    user: option("<user>", "link who had the code to this user: id, mobile number or linked identity"),
    people: flag("list those who were let in"),
    remove: option("<platform:id>", "let in no more who was let in by a code"),
    json: JSON_FLAG,
  },
  load: async () => (await import("./pair.ts")).pair,
});

const PLATFORM = argument("<platform>", "such as telegram, api_server or webhook");

/** `agent connectors`: the chat platforms and servers, on and off. */
export const CONNECTORS_COMMAND = commandGroup(
  "connectors",
  "chat platforms: what is on, since when, and the last error",
  [
    command("list", "list the chat platforms with their states", {
      takes: { json: JSON_FLAG },
      load: async () => (await import("./connectors.ts")).listConnectors,
    }),
    command("on", "switch a connector on; a gateway that runs follows", {
      takes: { platform: PLATFORM },
      load: async () => (await import("./switch.ts")).switchOn,
    }),
    command("off", "switch a connector off; a gateway that runs follows", {
      takes: { platform: PLATFORM },
      load: async () => (await import("./switch.ts")).switchOff,
    }),
    command("restart", "stop a connector and start it anew; a gateway that runs does so", {
      takes: { platform: PLATFORM },
      load: async () => (await import("./switch.ts")).restartConnector,
    }),
    command("test", "send a test message", {
      takes: { platform: PLATFORM, chat: argument("[chat]", "the platform's home channel without it") },
      load: async () => (await import("./switch.ts")).testConnector,
    }),
  ],
);
