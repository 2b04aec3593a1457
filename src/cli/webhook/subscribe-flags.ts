import { argument, flag, option, type Values } from "../command.ts";

/** The inputs of `agent webhook subscribe`. */
export const ROUTE = {
  name: argument("<name>", "the last part of its address"),
  events: option("<types>", "comma list of accepted event types; all by default"),
  prompt: option("<template>", "what the agent is asked; {a.b} stands for the payload's values"),
  skills: option("<names>", "comma list; the first one that exists is loaded"),
  secret: option("<secret>", "a random one by default"),
  deliver: option("<target>", "where the answer goes: log, email, a platform, …"),
  deliverChatId: option("<id>", "the chat there; the platform's home by default"),
  deliverOnly: flag("deliver the rendered prompt itself, without the agent"),
  description: option("<text>", "for people"),
};

/** The values of `agent webhook subscribe`. */
export type RouteFlags = Values<typeof ROUTE>;
