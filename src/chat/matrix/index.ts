import type { ChatPlatform } from "../port/platform.ts";
import { MATRIX_CAPABILITIES, MATRIX_LIMITS } from "./limits.ts";

/** Matrix, through its client-server API: https://spec.matrix.org/latest/client-server-api/ */
export const MATRIX: ChatPlatform = {
  kind: "messenger_6",
  name: "matrix",
  title: "Matrix",
  secrets: [
    {
      name: "token",
      variable: "MATRIX_TOKEN",
      about:
        "the access token of the bot's account: in Element, signed in as the bot, open All settings, Help & About, Advanced, Access Token",
    },
  ],
  mode: "connection",
  capabilities: MATRIX_CAPABILITIES,
  limits: MATRIX_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).matrixChannel(account, ports),
};
