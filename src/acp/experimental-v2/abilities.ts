import type { InitializeRequest } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { type ClientAbilities, showsManyOptions } from "../abilities.ts";

/** What a client of this version can do. Displays of commands, notices and summaries every one has. */
export function abilitiesOf({
  info,
  capabilities = {},
}: Pick<InitializeRequest, "info" | "capabilities">): ClientAbilities {
  return {
    name: info.name,
    readFile: false,
    writeFile: false,
    terminal: false,
    terminalOutput: true,
    terminalLogin: isOffered(capabilities.auth?.terminal),
    form: isOffered(capabilities.elicitation?.form),
    notices: true,
    compaction: true,
    manyOptions: showsManyOptions(info.name),
  };
}

const isOffered = (capability: unknown): boolean => capability !== undefined && capability !== null;
