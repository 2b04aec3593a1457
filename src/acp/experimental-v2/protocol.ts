import {
  type AgentContext,
  type AvailableCommand,
  ContentBlock,
  type ForkSessionRequest,
  McpServer,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type RequestPermissionRequest,
  type RequestPermissionSubject,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { invalidParam } from "../connection/request-error.ts";
import type { McpServerSpec } from "../ports.ts";
import type { PromptBlock } from "../session/prompt-parts.ts";
import type { ProtocolVersion, SentPrompt } from "../session/protocol-version.ts";
import { sessionSetup } from "../session/session-setup.ts";
import { httpServer, record } from "../v1/mcp-servers.ts";
import { V2Encoder, encodeDiff } from "./encoder.ts";
import { authMethods, capabilitiesOf } from "./initialize.ts";
import { availableCommands, configOptions } from "./options.ts";
import { NO_IMAGES } from "../projection/content-blocks.ts";
import { callContent } from "../projection/update-encoder.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { permissionOptions } from "../session/permission-options.ts";
import type { PermissionQuestion } from "../session/client-peer.ts";
import { permissionText } from "../session/permission-text.ts";

/** The types of version 2's messages. */
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

/** The draft of protocol version 2. Its clients have no files or terminals to lend. */
export const V2: ProtocolVersion<V2Types> = {
  noCapabilities: capabilitiesOf({ info: { name: "", version: "" } }),
  echoesPrompts: true,
  authMethods,
  encoder: () => new V2Encoder(),
  permissionRequest,
  setup: (opening) => sessionSetup(opening, mcpServerSpecs(opening.mcpServers)),
  opened: (attached) => ({
    configOptions: configOptions(attached.status.toldOptions()),
    availableCommands: availableCommands(attached.status.toldCommands()),
  }),
  options: configOptions,
  blocks: promptBlocks,
  answer: promptAnswer,
  // The state of the session says how it ended.
  steered: () => undefined,
};

/** Answers a prompt that became part of the conversation. @throws RequestError when it was taken back before */
async function promptAnswer({ pending, request }: SentPrompt): Promise<PromptResponse> {
  // A cancel that comes after the answer is still meant for this prompt.
  request.keepOpen(pending.ended);
  if (!(await pending.started)) throw RequestError.requestCancelled();
  return { messageId: pending.promptId };
}

/** @throws HostError `invalid_params` for a block of an unknown type */
function promptBlocks(blocks: readonly ContentBlock[]): readonly PromptBlock[] {
  return blocks.map((block, index): PromptBlock => {
    if (ContentBlock.isText(block) || ContentBlock.isImage(block) || ContentBlock.isAudio(block))
      return block;
    if (ContentBlock.isResourceLink(block) || ContentBlock.isResource(block)) return block;
    throw invalidParam(`prompt.${index}`, `${block.type} is no known block`);
  });
}

/** @throws HostError `invalid_params` for a server of a type that cannot be reached from here */
function mcpServerSpecs(servers: readonly McpServer[] = []): readonly McpServerSpec[] {
  return servers.map((server, index): McpServerSpec => {
    if (McpServer.isStdio(server)) {
      const { name, command, args = [], env = [] } = server;
      return { type: "stdio", name, command, args, env: record(env) };
    }
    if (McpServer.isHttp(server)) return httpServer({ headers: [], ...server, type: "http" }, index);
    throw invalidParam(`mcpServers.${index}`, `servers of type ${server.type} are not taken`);
  });
}

/** Writes a permission request about the call that the client sees, with everything needed to decide. */
export function permissionRequest(
  question: PermissionQuestion,
  abilities: ClientCapabilities,
): RequestPermissionRequest {
  const { sessionId, request } = question;
  const { title, words } = permissionText(question);
  return {
    sessionId,
    title,
    description: words,
    subject: subjectOf(question),
    options: permissionOptions(request, abilities).map((option) => ({ ...option })),
  };
}

function subjectOf(question: PermissionQuestion): RequestPermissionSubject {
  const { request, call, cwd } = question;
  const { callId, locations = [] } = request;
  const { title, exact: command, content } = permissionText(question);
  const kind = call?.kind ?? "other";
  if (kind === "execute") return { type: "command", command, cwd, toolCallId: callId, terminalId: callId };
  const places = locations.length > 0 ? locations : (call?.locations ?? []);
  return {
    type: "tool_call",
    toolCall: {
      toolCallId: call?.callId ?? callId,
      title,
      kind,
      status: "pending",
      content: callContent(content, { kind: "other", images: NO_IMAGES }, encodeDiff),
      locations: [...places],
      ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
    },
  };
}
