import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type Host, type Models, openHost, type Session, systemClock } from "agent-host";
import { configuredModels, parseModelsConfig } from "agent-host/models";
import { readIdentity, sqliteStore } from "agent-host/store";

/** A host with a durable log on this machine's disk. */
export interface BenchHost extends AsyncDisposable {
  readonly host: Host;
  readonly home: string;
  open(): Promise<Session>;
}

/** @param models - a model server's address, or models of the bench's own */
export async function benchHost(models: string | Models, tools: readonly AnyTool[] = []): Promise<BenchHost> {
  const home = mkdtempSync(join(tmpdir(), "agent-bench-"));
  const store = await sqliteStore({ home, identity: readIdentity(process.pid) });
  const block = { provider: "local", base_url: models, default: "test-model", context_length: 100_000_000 };
  const host = await openHost({
    store,
    models:
      typeof models === "string"
        ? configuredModels(parseModelsConfig(block), { env: {}, clock: systemClock })
        : models,
    toolsets: [{ name: "bench", label: "Bench", description: "Tools of the bench", tools, configured: true }],
  });
  return {
    host,
    home,
    open: () => host.open({ cwd: home }),
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await store[Symbol.asyncDispose]();
      rmSync(home, { recursive: true });
    },
  };
}

/** Milliseconds from a prompt to its first delta and to its end, as a reader sees them. */
export async function timedTurn(
  session: Session,
): Promise<{ readonly first: number; readonly total: number }> {
  const started = performance.now();
  let first = 0;
  for await (const event of session.submit({ text: "hi" })) {
    if (event.type === "message.delta") first ||= performance.now() - started;
  }
  return { first, total: performance.now() - started };
}
