import type {
  AgentContext,
  ContentBlock,
  ForkSessionRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
  RequestPermissionRequest,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { defined } from "../../shared/json/defined.ts";
import { type AuthMethods, requestError } from "../connection/request-error.ts";
import { stopReasonOf, turnError, usageOf } from "../projection/turn-end.ts";
import type { PromptEnd } from "../session/pending-prompts.ts";
import type { ProtocolVersion } from "../session/protocol-version.ts";
import { sessionSetup } from "../session/session-setup.ts";
import { clientFiles, clientTerminals } from "./client-environment.ts";
import { V1Encoder, encodeDiff } from "./encoder.ts";
import { authMethods, capabilitiesOf } from "./initialize.ts";
import { mcpServerSpecs } from "./mcp-servers.ts";
import { configOptions, type ModelState, modelState, modeState } from "./options.ts";
import { textPart } from "../../core/index.ts";
import { NO_IMAGES } from "../projection/content-blocks.ts";
import { callContent } from "../projection/update-encoder.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import type { PermissionQuestion } from "../session/client-peer.ts";
import { permissionOptions } from "../session/permission-options.ts";
import { permissionText } from "../session/permission-text.ts";

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

/** Writes a permission request about the call that the client sees, with everything needed to decide. */
export function permissionRequest(
  question: PermissionQuestion,
  capabilities: ClientCapabilities,
): RequestPermissionRequest {
  const { sessionId, request, call } = question;
  const { callId, locations = call?.locations ?? [] } = request;
  const { title, content, words } = permissionText(question);
  const toolCall: ToolCallUpdate = {
    toolCallId: call?.callId ?? callId,
    title,
    kind: call?.kind ?? "other",
    status: "pending",
    // Its parts are fenced already where they have to be.
    content: callContent([...content, textPart(words)], { kind: "other", images: NO_IMAGES }, encodeDiff),
    locations: [...locations],
    ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
  };
  return { sessionId, toolCall, options: permissionOptions(request, capabilities) };
}
