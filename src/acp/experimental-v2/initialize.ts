import {
  type AuthMethod,
  type InitializeRequest,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { type ClientCapabilities, isOffered, showsOptionsOfOneKind } from "../session/client-capabilities.ts";
import type { AcpConnection, AcpRequest } from "../session/connection.ts";
import { LOGIN_METHODS, type LoginMethod, SETUP_METHOD, SETUP_ARGS } from "../session/login.ts";
import type { VersionTypes } from "../session/protocol-version.ts";

/** The handler of `initialize`. Only capabilities that work are announced. */
export const initializeMethod =
  <T extends VersionTypes>(connection: AcpConnection<T>) =>
  ({ params, ...request }: AcpRequest<InitializeRequest, T["client"]>): InitializeResponse => {
    const capabilities = capabilitiesOf(params);
    connection.capabilities = capabilities;
    void connection.prepare(request);
    const { process } = connection.parts;
    return {
      protocolVersion: PROTOCOL_VERSION,
      info: { name: "agent-host", title: "Agent", version: process.version },
      capabilities: {
        session: {
          prompt: { image: {}, embeddedContext: {} },
          ...(process.connectMcp === undefined ? {} : { mcp: { stdio: {}, http: {} } }),
          delete: {},
          fork: {},
          status: {},
          title: {},
          archive: {},
          systemPrompt: {},
          additionalDirectories: {},
        },
        auth: { status: {} },
      },
      authMethods: authMethods(capabilities),
      _meta: { steering: { supported: true }, rewind: { supported: true } },
    };
  };

/** Reads the capabilities of a client. Every one displays terminals, notices and summaries. */
export function capabilitiesOf({
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
    optionsOfOneKind: showsOptionsOfOneKind(info.name),
  };
}

/** Lists the ways to log in. */
export function authMethods({ terminalLogin }: Pick<ClientCapabilities, "terminalLogin">): AuthMethod[] {
  const written = ({ id, name, description }: LoginMethod) => ({ methodId: id, name, description });
  const inTerminal: AuthMethod = { type: "terminal", ...written(SETUP_METHOD), args: [...SETUP_ARGS] };
  const others = LOGIN_METHODS.map((method): AuthMethod => ({ type: "agent", ...written(method) }));
  return [...others, ...(terminalLogin ? [inTerminal] : [])];
}
