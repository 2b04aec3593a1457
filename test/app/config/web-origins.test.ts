import { expect, test } from "vitest";
import type { ConfigSource } from "../../../src/app/config/block.ts";
import { webOrigins } from "../../../src/app/config/web-origins.ts";

const source = (config: Record<string, unknown>, env: Record<string, string> = {}): ConfigSource =>
  // What a reader of blocks takes; the paths are for messages alone.
  ({ config, env, paths: { config: "config.yaml" } }) as unknown as ConfigSource;

test("pages that may use the API may connect to the gateway's WebSocket, and the other way round", () => {
  const config = {
    gateway: { allowed_origins: ["https://socket.example"] },
    platforms: { api_server: { extra: { cors_origins: ["https://file.example"] } } },
  };
  expect(webOrigins(source(config))).toEqual(["https://file.example", "https://socket.example"]);
  const env = { API_SERVER_CORS_ORIGINS: "https://a.example, https://socket.example" };
  expect(webOrigins(source(config, env))).toEqual(["https://a.example", "https://socket.example"]);
  expect(webOrigins(source({}))).toEqual([]);
});
