import { accessSync, constants, existsSync } from "node:fs";
import { type HostError, systemClock, toHostError } from "../../core/index.ts";
import { configuredModels, findLocalServers } from "../../providers/models/index.ts";
import { openAgent } from "../compose.ts";
import { loadSettings, type Settings } from "../config/settings.ts";
import { EXIT, type Io, write } from "../io.ts";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

const PROBE_MS = 10_000;

/** `agent doctor`: looks at configuration, store and provider, and says what is wrong and what to do. */
export async function doctor(io: Io, { json }: { readonly json: boolean }): Promise<number> {
  const checks: Check[] = [];
  const show = async (check: Check): Promise<void> => {
    checks.push(check);
    if (!json)
      await write(io.stdout, `${check.ok ? "ok  " : "FAIL"}  ${check.name.padEnd(9)} ${check.text}\n`);
  };
  await show({ name: "node", ok: true, text: `${process.versions.node} on ${io.platform}` });
  const settings = await loadSettings(io.env, io.cwd).catch((thrown: unknown) => toHostError(thrown));
  if (settings instanceof Error) await show({ name: "config", ok: false, text: settings.message });
  else {
    await show(configCheck(settings));
    await show(await storeCheck(io));
    await show(await providerCheck(settings));
  }
  if (json) await write(io.stdout, `${JSON.stringify(checks, undefined, 2)}\n`);
  return checks.every(({ ok }) => ok) ? EXIT.completed : EXIT.failed;
}

function configCheck({ paths, policy }: Settings): Check {
  const where = existsSync(paths.config) ? paths.config : `${paths.config} (not there: defaults)`;
  try {
    if (existsSync(paths.home)) accessSync(paths.home, constants.W_OK);
  } catch (cause) {
    return {
      name: "config",
      ok: false,
      text: `${paths.home} cannot be written: ${toHostError(cause).message}`,
    };
  }
  return { name: "config", ok: true, text: `${where}; approvals: ${policy.approvals.mode}` };
}

async function storeCheck(io: Io): Promise<Check> {
  try {
    await using agent = await openAgent(io, { resident: false });
    const records = await agent.host.list({ limit: 200, offset: 0 });
    const damaged = records.filter((record) => record.damaged).map(({ id }) => id);
    if (damaged.length > 0) {
      const text = `damaged sessions: ${damaged.join(", ")}. \`agent sessions export\` shows what can be read of them.`;
      return { name: "store", ok: false, text };
    }
    const many = records.length === 200 ? "200 sessions or more" : `${records.length} sessions`;
    return { name: "store", ok: true, text: `${agent.settings.paths.home}, ${many}` };
  } catch (thrown) {
    return { name: "store", ok: false, text: toHostError(thrown).message };
  }
}

async function providerCheck(settings: Settings): Promise<Check> {
  const name = "provider";
  try {
    await using models = configuredModels(settings.models, { env: settings.env, clock: systemClock });
    const model = models.resolve({});
    if (model.provider === "demo") return await demoCheck();
    const signal = AbortSignal.timeout(PROBE_MS);
    const started = performance.now();
    const request = {
      system: "Answer with one word.",
      messages: [{ role: "user", parts: [{ type: "text", text: "Say ok." }] }] as const,
      tools: [],
      maxOutputTokens: 16,
      cacheKey: "doctor",
      signal,
      loadBlob: () => Promise.reject(new Error("no blobs here")),
    };
    for await (const part of model.stream(request)) if (part.type === "finish") break;
    if (signal.aborted)
      return {
        name,
        ok: false,
        text: `${model.provider}:${model.name} did not answer in ${PROBE_MS / 1000} s.`,
      };
    const took = Math.round(performance.now() - started);
    return { name, ok: true, text: `${model.provider}:${model.name} answered in ${took} ms` };
  } catch (thrown) {
    return { name, ok: false, text: explained(toHostError(thrown)) };
  }
}

async function demoCheck(): Promise<Check> {
  const found = await findLocalServers({ clock: systemClock, signal: AbortSignal.timeout(PROBE_MS) });
  const [server] = found;
  const hint =
    server === undefined
      ? "Set `model.provider` in config.yaml to use a real one."
      : `A model server answers at ${server.baseUrl}: set model.provider to local and model.base_url to it.`;
  return { name: "provider", ok: true, text: `none configured: the built-in demo model answers. ${hint}` };
}

function explained(error: HostError): string {
  if (error.code !== "provider_auth") return error.message;
  return `${error.message} If the key is right, its role on the resource may need some minutes to take effect.`;
}
