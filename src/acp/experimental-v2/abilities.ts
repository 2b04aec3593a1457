import type { InitializeRequest } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { type ClientCapabilities, showsOptionsOfOneKind } from "../session/client-capabilities.ts";

/** What a client of this version can do. Displays of commands, notices and summaries every one has. */
export function abilitiesOf({
  info,
  capabilities = {},
}: Pick<InitializeRequest, "info" | "capabilities">): ClientCapabilities {
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
    manyOptions: showsOptionsOfOneKind(info.name),
  };
}

const isOffered = (capability: unknown): boolean => capability !== undefined && capability !== null;
