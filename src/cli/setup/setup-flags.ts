import { SETUP_API_MODES, SETUP_PROVIDERS } from "../../rpc/protocol/setup-kinds.ts";
import { flagOff, negation, notEmpty, number, option, type Values } from "../command.ts";

/** The inputs of `agent setup`. */
export const SETUP_FLAGS = {
  provider: option("<kind>", "whose model it is", {
    choices: SETUP_PROVIDERS,
  }),
  web: option("<engine>", "set up searching the web instead of a model", {
    choices: ["searxng", "brave", "tavily"],
  }),
  platform: option("<name>", "set up a chat platform instead, such as telegram", { read: notEmpty }),
  from: option("<id>", "your own number there, or its id, where a chat platform wants one", {
    read: notEmpty,
  }),
  baseUrl: option("<url>", "address of the endpoint", { read: notEmpty }),
  model: option("<name>", "name of the model or deployment", { read: notEmpty }),
  apiMode: option("<mode>", "what it speaks; found out by default", {
    choices: SETUP_API_MODES,
  }),
  keyEnv: option("<name>", "the variable that holds the key", { read: notEmpty }),
  keyStdin: flagOff("read the key from stdin and keep it in .env"),
  keyless: flagOff("sign in by an identity of the cloud instead of a key"),
  scope: option("<scope>", "scope of the identity's token, where it is not the default", { read: notEmpty }),
  contextLength: option("<tokens>", "tokens of context; found out by default", { read: number }),
  check: negation("do not ask the model for an answer first"),
  saveAnyway: flagOff("save also what does not work yet"),
};

/** The values of `agent setup`. */
export type SetupFlags = Values<typeof SETUP_FLAGS>;
