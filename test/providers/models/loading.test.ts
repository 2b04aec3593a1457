import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

/** Prints the packages that were loaded before the first request to a hosted model, and after it. */
const PROGRAM = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ resolve(name, context, next) { const found = next(name, context); loaded.add(/node_modules\\/(.+?)\\//.exec(found.url)?.[1]); return found; } });
const packages = () => [...loaded].filter(Boolean).sort();
const { configuredModels, parseModelsConfig, findLocalServers } = await import("./src/providers/models/index.ts");
const { systemClock } = await import("./src/shared/async/clock.ts");
const models = configuredModels(parseModelsConfig({ provider: "local", base_url: "http://127.0.0.1:1", default: "m", providers: { keyless: { kind: "cloud-foundry", base_url: "http://127.0.0.1:1", default: "gpt-5", auth_mode: "identity_service" }, claude: { kind: "messages", base_url: "http://127.0.0.1:1", default: "c", api_key: "k" } } }), { env: {}, clock: systemClock });
const signal = new AbortController().signal;
const request = { system: "", messages: [], tools: [], cacheKey: "", signal, loadBlob: async () => new Uint8Array() };
for await (const part of models.resolve({ provider: "demo" }).stream(request));
await findLocalServers({ clock: systemClock, signal, addresses: ["http://127.0.0.1:1"] });
const before = packages();
for (const provider of ["local", "claude"]) await models.resolve({ provider }).stream(request).next().catch(() => undefined);
models.resolve({ provider: "keyless" });
console.log(JSON.stringify({ before, after: packages() }));
`;

test("client libraries are loaded with the first request to a hosted model and not before", async () => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM]);
  expect(JSON.parse(stdout)).toEqual({ before: ["zod"], after: ["eventsource-parser", "zod"] });
});
