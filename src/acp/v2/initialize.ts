import {
  type AuthMethod,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { ClientAbilities } from "../abilities.ts";
import type { AcpPorts } from "../ports.ts";
import { LOGIN_METHODS, SETUP, SETUP_ARGS } from "../session/login.ts";

/** The ways to log in that need no terminal, as this version writes them. */
export const AUTH_METHODS: readonly AuthMethod[] = LOGIN_METHODS.map(({ id, name, description }) => ({
  type: "agent",
  methodId: id,
  name,
  description,
}));

/** Who this is and what it can do; only what works is announced. */
export function initializeAnswer(
  process: AcpPorts,
  { terminalLogin }: Pick<ClientAbilities, "terminalLogin">,
): InitializeResponse {
  const { id, name, description } = SETUP;
  const inTerminal: AuthMethod = {
    type: "terminal",
    methodId: id,
    name,
    description,
    args: [...SETUP_ARGS],
  };
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
    authMethods: [...AUTH_METHODS, ...(terminalLogin ? [inTerminal] : [])],
    _meta: { steering: { supported: true } },
  };
}
