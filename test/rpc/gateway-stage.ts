import type { Host, HostOptions, Models } from "../../src/core/index.ts";
import { RpcGateway } from "../../src/rpc/index.ts";
import { hostWith } from "../kit/test-host.ts";
import { link, type LinkedClient } from "./raw-client.ts";
import { type World, worldPorts } from "./world-ports.ts";

/** A host with a gateway on it, and clients of it. */
export class GatewayStage implements AsyncDisposable {
  readonly host: Host;
  readonly world: World;
  readonly gateway: RpcGateway;

  private constructor(host: Host) {
    const { world, ports } = worldPorts();
    this.host = host;
    this.world = world;
    this.gateway = new RpcGateway(host, ports);
  }

  static async open(models: Models, options: Partial<HostOptions> = {}): Promise<GatewayStage> {
    return new GatewayStage(await hostWith(models, options));
  }

  /** A client that has connected, and has its first frame. */
  async client(options: { readonly heartbeat?: boolean } = {}): Promise<LinkedClient> {
    const client = link(this.gateway, options);
    await client.event("gateway.ready");
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gateway.close();
    await this.host.close();
    await this.host.services.store[Symbol.asyncDispose]();
  }
}
