import {
  type AuthMethod,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import type { AcpPorts } from "../ports.ts";
import { LOGIN_METHODS, type LoginMethod, SETUP, SETUP_ARGS } from "../session/login.ts";

/** Who this is and what it can do; only what works is announced. */
export function initializeAnswer(
  process: AcpPorts,
  abilities: Pick<ClientCapabilities, "terminalLogin">,
): InitializeResponse {
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
    authMethods: authMethods(abilities),
    _meta: { steering: { supported: true } },
  };
}

/** The ways to log in, as this version writes them. */
export function authMethods({ terminalLogin }: Pick<ClientCapabilities, "terminalLogin">): AuthMethod[] {
  const written = ({ id, name, description }: LoginMethod) => ({ methodId: id, name, description });
  const inTerminal: AuthMethod = { type: "terminal", ...written(SETUP), args: [...SETUP_ARGS] };
  const others = LOGIN_METHODS.map((method): AuthMethod => ({ type: "agent", ...written(method) }));
  return [...others, ...(terminalLogin ? [inTerminal] : [])];
}
