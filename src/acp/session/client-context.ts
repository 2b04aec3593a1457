import type { Host, Origin } from "../../core/index.ts";
import type { MessageWriter } from "../connection/message-writer.ts";
import type { AcpPorts } from "../ports.ts";
import type { ClientPeer } from "./client-peer.ts";

/** The context of one client: everything that its sessions share. */
export interface ClientContext {
  readonly host: Host;
  readonly peer: ClientPeer;
  readonly writer: MessageWriter;
  /** This client among all that write to sessions. */
  readonly from: Origin;
  readonly process: AcpPorts;
}
