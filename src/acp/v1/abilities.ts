import type { InitializeRequest } from "@agentclientprotocol/sdk/unstable";
import { type ClientCapabilities, showsOptionsOfOneKind } from "../session/client-capabilities.ts";

/** What a client of this version says that it can do. What it does not name it cannot do. */
export function abilitiesOf({
  clientInfo,
  clientCapabilities: can = {},
}: Pick<InitializeRequest, "clientInfo" | "clientCapabilities">): ClientCapabilities {
  const name = clientInfo?.name ?? "";
  const { _meta: meta } = can;
  return {
    name,
    readFile: can.fs?.readTextFile === true,
    writeFile: can.fs?.writeTextFile === true,
    terminal: can.terminal === true,
    // Not in the protocol, but what editors agreed on: output in pieces instead of all of it again and again.
    terminalOutput: meta?.["terminal_output"] === true,
    terminalLogin: can.auth?.terminal === true,
    form: isOffered(can.elicitation?.form),
    notices: isOffered(can.session?.notices),
    compaction: isOffered(can.session?.compaction),
    manyOptions: showsOptionsOfOneKind(name),
  };
}

const isOffered = (capability: unknown): boolean => capability !== undefined && capability !== null;
