import {
  type AgentCapabilities,
  type AuthMethod,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import type { AcpPorts } from "../ports.ts";
import { LOGIN_METHODS, SETUP, SETUP_ARGS } from "../session/login.ts";

/** Only what works is announced. */
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

/** Who this is and what it can do. Whatever version the client asks for, this one is offered. */
export function initializeAnswer(
  process: AcpPorts,
  abilities: Pick<ClientCapabilities, "terminalLogin">,
): InitializeResponse {
  const reaches = process.connectMcp !== undefined;
  const { version } = process;
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "agent-host", title: "Agent", version },
    agentCapabilities: { ...CAPABILITIES, mcpCapabilities: { http: reaches, sse: reaches } },
    authMethods: authMethods(abilities),
    _meta: { steering: { supported: true } },
  };
}

/** The ways to log in, as this version writes them. */
export function authMethods({ terminalLogin }: Pick<ClientCapabilities, "terminalLogin">): AuthMethod[] {
  const inTerminal: AuthMethod = { type: "terminal", ...SETUP, args: [...SETUP_ARGS] };
  return [...LOGIN_METHODS.map((method) => ({ ...method })), ...(terminalLogin ? [inTerminal] : [])];
}
