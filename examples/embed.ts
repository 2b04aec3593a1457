/** A host in your own program: sessions, a durable log in a folder, and an answer that streams. */
import { openHost, systemClock } from "agent-host";
import { configuredModels, parseModelsConfig } from "agent-host/models";
import { readIdentity, sqliteStore } from "agent-host/store";

// Without a provider the built-in demo model answers. A real one:
// parseModelsConfig({ provider: "openai", default: "gpt-5", key_env: "OPENAI_API_KEY" })
await using models = configuredModels(parseModelsConfig({}), { env: process.env, clock: systemClock });
await using store = await sqliteStore({
  home: process.env["AGENT_HOME"] ?? ".agent",
  identity: readIdentity(process.pid),
});
await using host = await openHost({ store, models });

const session = await host.open({ cwd: process.cwd() });
const turn = session.submit({ text: "count to 3" });
for await (const event of turn) {
  if (event.type === "message.delta") process.stdout.write(event.text);
}
const { outcome, usage } = await turn.result;
console.log(`\n${outcome}, ${usage.output} tokens, session ${session.id}`);
