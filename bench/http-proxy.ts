import { parseArgs } from "node:util";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { proxy } from "hono/proxy";

/** A bare Hono proxy before a model: what an HTTP server costs that does nothing; ends with its standard input. */
const { values } = parseArgs({ options: { model: { type: "string", default: "" } } });

const app = new Hono();
app.post("/v1/chat/completions", (c) => proxy(`${values.model}/chat/completions`, c.req));
app.get("/health/detailed", (c) => {
  const { user, system } = process.cpuUsage();
  const cpu = { user_seconds: user / 1e6, system_seconds: system / 1e6 };
  return c.json({ resources: { cpu, memory: { rss_bytes: process.memoryUsage.rss() } } });
});
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
process.stdin.resume().on("end", () => server.close(() => process.exit(0)));
