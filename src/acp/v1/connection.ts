import type { AgentContext } from "@agentclientprotocol/sdk/unstable";
import type { Connection } from "../session/connection.ts";

export type V1Connection = Connection<AgentContext>;
