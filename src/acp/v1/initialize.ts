import {
  type AgentCapabilities,
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

/** Who this is and what it can do. Whatever version the client asks for, this one is offered. */
export function initializeAnswer(process: AcpPorts, methods: readonly LoginMethod[]): InitializeResponse {
  const reaches = process.connectMcp !== undefined;
  const { version } = process;
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "agent-host", title: "Agent", version },
    agentCapabilities: { ...CAPABILITIES, mcpCapabilities: { http: reaches, sse: reaches } },
    authMethods: methods.map((method) => ({ ...method })),
    _meta: { steering: { supported: true } },
  };
}
