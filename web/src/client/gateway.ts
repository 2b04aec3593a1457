import { createContext, useContext, useEffect, useSyncExternalStore } from "react";
import { GatewayClient } from "../../../src/rpc/client/gateway-client.ts";
import type { ClientEvent } from "../../../src/rpc/client/events.ts";
import { pageSocket } from "./page-socket.ts";

/** Connects to the gateway with the page's cookie. */
export const connectGateway = (): GatewayClient => new GatewayClient({ connect: pageSocket() });

/** The page's connection to the gateway. */
export const GatewayContext = createContext<GatewayClient | undefined>(undefined);

/** Gives the page's connection. */
export function useGateway(): GatewayClient {
  const client = useContext(GatewayContext);
  if (client === undefined) throw new Error("No gateway stands around this part of the page.");
  return client;
}

/** Calls `take` for each event of the gateway while the part is shown. */
export function useGatewayEvents(take: (event: ClientEvent) => void): void {
  const client = useGateway();
  useEffect(() => client.subscribe(take), [client, take]);
}

/** Whether the page is connected. */
export function useIsConnected(): boolean {
  const client = useGateway();
  return useSyncExternalStore(
    (changed) => client.subscribe(changed),
    () => client.state === "connected",
  );
}
