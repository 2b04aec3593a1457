import type {
  AgentContext,
  ContentBlock,
  ForkSessionRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { sessionSetup } from "../session/session-setup.ts";
import type { ProtocolVersion } from "../session/protocol-version.ts";
import { authMethods } from "./initialize.ts";
import { mcpServers } from "./mcp-servers.ts";
import { configOptions, modeState } from "./options.ts";
import { V1Peer } from "./peer.ts";
import { promptAnswer } from "./prompt-answer.ts";

export interface V1Types {
  readonly client: AgentContext;
  readonly opening: Pick<ForkSessionRequest, "cwd" | "additionalDirectories" | "mcpServers" | "systemPrompt">;
  readonly opened: { readonly configOptions: SessionConfigOption[]; readonly modes?: SessionModeState };
  readonly options: SessionConfigOption[];
  readonly block: ContentBlock;
  readonly answer: PromptResponse;
}

/** Protocol version 1. @param abilities - what the client can do, as far as it has said */
export const v1Protocol = (abilities: () => ClientCapabilities): ProtocolVersion<V1Types> => ({
  authMethods: () => authMethods(abilities()),
  peer: (client, ports) => new V1Peer(abilities(), { client, ...ports }),
  setting: (opening) => sessionSetup(opening, mcpServers(opening.mcpServers)),
  opened(attached) {
    const options = attached.toldOptions();
    const modes = modeState(options);
    return { configOptions: configOptions(options), ...(modes === undefined ? {} : { modes }) };
  },
  options: configOptions,
  blocks: (prompt) => prompt,
  answer: async ({ open }) => promptAnswer(await open.ended, authMethods(abilities())),
  steered: (end) => void promptAnswer(end, []),
});
