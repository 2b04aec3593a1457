import {
  type AgentContext,
  type AvailableCommand,
  type ContentBlock,
  type ForkSessionRequest,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { sessionSetup } from "../session/session-setup.ts";
import type { ProtocolVersion, SentPrompt } from "../session/protocol-version.ts";
import { authMethods } from "./initialize.ts";
import { mcpServers } from "./mcp-servers.ts";
import { availableCommands, configOptions } from "./options.ts";
import { V2Peer } from "./peer.ts";
import { promptBlocks } from "./prompt-blocks.ts";

export interface V2Types {
  readonly client: AgentContext;
  readonly opening: Pick<ForkSessionRequest, "cwd" | "additionalDirectories" | "mcpServers" | "systemPrompt">;
  readonly opened: {
    readonly configOptions: SessionConfigOption[];
    readonly availableCommands: AvailableCommand[];
  };
  readonly options: SessionConfigOption[];
  readonly block: ContentBlock;
  readonly answer: PromptResponse;
}

/** The draft of protocol version 2. @param abilities - what the client can do, as far as it has said */
export const v2Protocol = (abilities: () => ClientCapabilities): ProtocolVersion<V2Types> => ({
  authMethods: () => authMethods(abilities()),
  peer: (client, ports) => new V2Peer(abilities(), { client, ...ports }),
  setting: (opening) => sessionSetup(opening, mcpServers(opening.mcpServers)),
  opened: (attached) => ({
    configOptions: configOptions(attached.toldOptions()),
    availableCommands: availableCommands(attached.toldCommands()),
  }),
  options: configOptions,
  blocks: promptBlocks,
  answer: taken,
  // The state of the session says how it ended.
  steered: () => undefined,
});

/** Resolves when a prompt has become part of the conversation. @throws RequestError when it was taken back before */
async function taken({ open, ticket }: SentPrompt): Promise<PromptResponse> {
  // A cancel that comes after the answer is still meant for it.
  ticket.hold(open.ended);
  if (!(await open.started)) throw RequestError.requestCancelled();
  return { messageId: open.promptId };
}
