import type {
  AgentContext,
  ContentBlock,
  ForkSessionRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import type { ClientAbilities } from "../abilities.ts";
import { settingOf } from "../decode/session-setting.ts";
import type { Dialect } from "../session/dialect.ts";
import { authMethods } from "./initialize.ts";
import { mcpServers } from "./mcp-servers.ts";
import { configOptions, modeState } from "./options.ts";
import { V1Peer } from "./peer.ts";
import { promptAnswer } from "./prompt-answer.ts";

export interface V1Wording {
  readonly client: AgentContext;
  readonly opening: Pick<ForkSessionRequest, "cwd" | "additionalDirectories" | "mcpServers" | "systemPrompt">;
  readonly opened: { readonly configOptions: SessionConfigOption[]; readonly modes?: SessionModeState };
  readonly options: SessionConfigOption[];
  readonly block: ContentBlock;
  readonly answer: PromptResponse;
}

/** Protocol version 1. @param abilities - what the client can do, as far as it has said */
export const v1Dialect = (abilities: () => ClientAbilities): Dialect<V1Wording> => ({
  authMethods: () => authMethods(abilities()),
  peer: (client, ports) => new V1Peer(abilities(), { client, ...ports }),
  setting: (opening) => settingOf(opening, mcpServers(opening.mcpServers)),
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
