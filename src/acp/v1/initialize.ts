import type {
  AgentCapabilities,
  AuthMethod,
  InitializeRequest,
  InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import { type ClientCapabilities, isOffered, showsOptionsOfOneKind } from "../session/client-capabilities.ts";
import type { AcpConnection, AcpRequest } from "../session/connection.ts";
import { LOGIN_METHODS, SETUP_METHOD, SETUP_ARGS } from "../session/login.ts";
import type { VersionTypes } from "../session/protocol-version.ts";

/** The capabilities that are announced: only those that work. */
const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  sessionCapabilities: {
    list: {},
    resume: {},
    fork: {},
    close: {},
    delete: {},
    status: {},
    title: {},
    archive: {},
    systemPrompt: {},
    additionalDirectories: {},
  },
  auth: { logout: {}, status: {} },
};

/** The package of the protocol is not loaded for its number alone: the greeting comes before it. */
const VERSION: typeof PROTOCOL_VERSION = 1;

/** The handler of `initialize`. Whatever version the client asks for, this one is offered. */
export const initializeMethod =
  <T extends VersionTypes>(connection: AcpConnection<T>) =>
  ({ params, ...request }: AcpRequest<InitializeRequest, T["client"]>): InitializeResponse => {
    const capabilities = capabilitiesOf(params);
    connection.capabilities = capabilities;
    void connection.prepare(request);
    const { process } = connection.parts;
    const mcp = process.connectMcp !== undefined;
    return initializeAnswer(capabilities, { version: process.version, mcp });
  };

/** Makes the answer for a client: what the agent can do, and how one logs in. */
export const initializeAnswer = (
  capabilities: Pick<ClientCapabilities, "terminalLogin">,
  { version, mcp }: { readonly version: string; readonly mcp: boolean },
): InitializeResponse => ({
  protocolVersion: VERSION,
  agentInfo: { name: "agent-host", title: "Agent", version },
  agentCapabilities: { ...CAPABILITIES, mcpCapabilities: { http: mcp, sse: mcp } },
  authMethods: authMethods(capabilities),
  _meta: { steering: { supported: true }, rewind: { supported: true } },
});

/** Reads the capabilities of a client. It has none that it does not name. */
export function capabilitiesOf({
  clientInfo,
  clientCapabilities: offered = {},
}: Pick<InitializeRequest, "clientInfo" | "clientCapabilities">): ClientCapabilities {
  const name = clientInfo?.name ?? "";
  const { _meta: meta } = offered;
  return {
    name,
    readFile: offered.fs?.readTextFile === true,
    writeFile: offered.fs?.writeTextFile === true,
    terminal: offered.terminal === true,
    // An extension that editors agreed on: output in pieces instead of all of it again and again.
    terminalOutput: meta?.["terminal_output"] === true,
    terminalLogin: offered.auth?.terminal === true,
    form: isOffered(offered.elicitation?.form),
    notices: isOffered(offered.session?.notices),
    compaction: isOffered(offered.session?.compaction),
    optionsOfOneKind: showsOptionsOfOneKind(name),
  };
}

/** Lists the ways to log in. */
export function authMethods({ terminalLogin }: Pick<ClientCapabilities, "terminalLogin">): AuthMethod[] {
  const inTerminal: AuthMethod = { type: "terminal", ...SETUP_METHOD, args: [...SETUP_ARGS] };
  return [...LOGIN_METHODS.map((method) => ({ ...method })), ...(terminalLogin ? [inTerminal] : [])];
}
