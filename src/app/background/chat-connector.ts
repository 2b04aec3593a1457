import { CHAT_PLATFORMS, type ChatPlatform } from "../../chat/index.ts";
import { configuredChats, reasonOff } from "../chat/chat-account.ts";
import type { Connector, ConnectorContext, ConnectorKind } from "./connector.ts";

/** The chat platforms, each a connector of the gateway. */
export const CHAT_CONNECTORS: readonly ConnectorKind[] = CHAT_PLATFORMS.map(connectorKind);

function connectorKind({ name, title }: ChatPlatform): ConnectorKind {
  return {
    name: title,
    platform: name,
    switches: `platforms.${name}.enabled`,
    isEnabled: (settings) =>
      configuredChats(settings).some(
        ({ platform, extra }) => platform.name === name && extra.receive !== false,
      ),
    offBecause: (settings) =>
      reasonOff(configuredChats(settings).find(({ platform }) => platform.name === name)),
    check: (settings) => void configuredChats(settings),
    start: (_agent, context) => Promise.resolve(startChat(name, title, context)),
  };
}

function startChat(name: string, title: string, { services: { chat }, log }: ConnectorContext): Connector {
  const connector = chat.connectors.get(name);
  const why = chat.off.get(name);
  if (why !== undefined) log({ event: "chat.off", level: "warn", platform: name, reason: why });
  connector?.start();
  return {
    title: why === undefined ? `${title}: people can write to the agent` : `${title} stays off: ${why}`,
    drain: () => connector?.drain(),
    close: async () => await connector?.close(),
  };
}
