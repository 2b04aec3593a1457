import {
  type AgentCapabilities,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import type { LoginMethod } from "../session/login.ts";

/** Only what works is announced. */
const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: false, sse: false },
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
export function initializeAnswer(version: string, methods: readonly LoginMethod[]): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "agent-host", title: "Agent", version },
    agentCapabilities: CAPABILITIES,
    authMethods: methods.map((method) => ({ ...method })),
    _meta: { steering: { supported: true } },
  };
}
