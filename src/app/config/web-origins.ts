import { isJsonObject } from "../../shared/json/json.ts";
import { type ConfigSource, platformBlock } from "./block.ts";

/**
 * The web pages that may use this host, over its API and over the gateway's WebSocket alike: those of
 * `API_SERVER_CORS_ORIGINS`, else of `platforms.api_server.extra.cors_origins`, and those of `gateway.allowed_origins`.
 */
export function webOrigins(source: ConfigSource): readonly string[] {
  const { extra } = platformBlock(source, "api_server");
  const { gateway } = source.config;
  const api = source.env["API_SERVER_CORS_ORIGINS"] ?? valueIn(extra, "cors_origins");
  return [...new Set([...listOf(api), ...listOf(valueIn(gateway, "allowed_origins"))])];
}

/** The words of a list, or of a text that separates them by commas. */
export function listOf(value: unknown): readonly string[] {
  const entries: readonly unknown[] =
    typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return entries.flatMap((entry) => (typeof entry === "string" && entry.trim() !== "" ? [entry.trim()] : []));
}

const valueIn = (block: unknown, key: string): unknown => (isJsonObject(block) ? block[key] : undefined);
