import type {
  AgentContext,
  ContentBlock,
  ForkSessionRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import { defined } from "../../shared/json/defined.ts";
import { type AuthMethods, requestError } from "../connection/request-error.ts";
import { stopReasonOf, turnError, usageOf } from "../projection/turn-end.ts";
import type { PromptEnd } from "../session/pending-prompts.ts";
import type { ProtocolVersion } from "../session/protocol-version.ts";
import { sessionSetup } from "../session/session-setup.ts";
import { clientFiles } from "./client-files.ts";
import { clientTerminals } from "./client-terminals.ts";
import { V1Encoder } from "./encoder.ts";
import { authMethods, capabilitiesOf } from "./initialize.ts";
import { mcpServerSpecs } from "./mcp-servers.ts";
import { configOptions, type ModelState, modelState, modeState } from "./options.ts";
import { permissionRequest } from "./permission.ts";

/** The types of version 1's messages. */
export interface V1Types {
  readonly client: AgentContext;
  readonly opening: Pick<ForkSessionRequest, "cwd" | "additionalDirectories" | "mcpServers" | "systemPrompt">;
  readonly opened: {
    readonly configOptions: SessionConfigOption[];
    readonly modes?: SessionModeState;
    readonly models?: ModelState;
  };
  readonly options: SessionConfigOption[];
  readonly block: ContentBlock;
  readonly answer: PromptResponse;
}

/** Protocol version 1. */
export const V1: ProtocolVersion<V1Types> = {
  noCapabilities: capabilitiesOf({}),
  echoesPrompts: false,
  authMethods,
  encoder: (capabilities) => new V1Encoder(capabilities),
  permissionRequest,
  environment: (client, { capabilities, clock }) => ({
    files: (sessionId) => clientFiles(sessionId, { client, capabilities, clock }),
    terminals(sessionId, started) {
      const { terminal, terminalOutput } = capabilities;
      // The agent's own display shows more than the client's terminal: colours and progress, the same on every machine.
      if (!terminal || terminalOutput) return undefined;
      return clientTerminals(sessionId, { client, clock, started });
    },
  }),
  setup: (opening) => sessionSetup(opening, mcpServerSpecs(opening.mcpServers)),
  opened(attached) {
    const options = attached.status.toldOptions();
    return {
      configOptions: configOptions(options),
      ...defined({ modes: modeState(options), models: modelState(options) }),
    };
  },
  options: configOptions,
  blocks: (prompt) => prompt,
  answer: async ({ pending, capabilities }) => promptAnswer(await pending.ended, authMethods(capabilities)),
  steered: (end) => void promptAnswer(end, []),
};

/** @throws RequestError for a turn that failed: clients show an error, and would take any other answer for success */
function promptAnswer(end: PromptEnd, methods: AuthMethods): PromptResponse {
  if (end.outcome === "command") return { stopReason: "end_turn" };
  if (end.outcome === "dropped") return { stopReason: "cancelled" };
  const stopReason = stopReasonOf(end);
  if (stopReason !== "error") return { stopReason, ...usageOf(end.usage) };
  throw requestError(turnError(end), { authMethods: methods });
}
