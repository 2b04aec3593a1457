import { callTool, field, type ModelServer, reply, startModelServer } from "../../kit/model-server/index.ts";

/** A model server that writes the file that a message asks for ("write a.txt") and says what came of it, and repeats all others. */
export const writingModel = (): Promise<ModelServer> =>
  startModelServer({
    answer: ({ body }) => {
      const messages = field(body, "messages");
      const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
      const words = field(last, "content");
      const text = typeof words === "string" ? words : JSON.stringify(words);
      if (field(last, "role") === "tool") return reply(`It says: ${text}`);
      const path = /write (\w+\.txt)/.exec(text)?.[1];
      return reply(
        path === undefined ? `I heard: ${text}` : [callTool("write_file", { path, content: "done\n" })],
      );
    },
  });
