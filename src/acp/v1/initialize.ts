import {
  type AgentCapabilities,
  type AuthMethod,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import type { AcpPorts } from "../ports.ts";
import type { LoginMethod } from "../session/login.ts";

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
    additionalDirectories: {},
  },
  auth: { logout: {}, status: {} },
};

/** How a client can log in. */
export interface LoginWays {
  readonly methods: readonly LoginMethod[];
  /** The client can run this program again, in a terminal. */
  readonly inTerminal: boolean;
}

const SETUP: AuthMethod = {
  type: "terminal",
  id: "setup",
  name: "Set up a model",
  description: "Asks for provider, model and key in a terminal",
  args: ["--setup"],
};

/** Who this is and what it can do. Whatever version the client asks for, this one is offered. */
export function initializeAnswer(process: AcpPorts, login: LoginWays): InitializeResponse {
  const reaches = process.connectMcp !== undefined;
  const { version } = process;
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "agent-host", title: "Agent", version },
    agentCapabilities: { ...CAPABILITIES, mcpCapabilities: { http: reaches, sse: reaches } },
    authMethods: [...login.methods.map((method) => ({ ...method })), ...(login.inTerminal ? [SETUP] : [])],
    _meta: { steering: { supported: true } },
  };
}
