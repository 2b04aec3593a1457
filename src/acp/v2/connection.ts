import type { AgentContext } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { Connection } from "../session/connection.ts";

export type V2Connection = Connection<AgentContext>;
