import type { HealthRow } from "../../dashboard/index.ts";
import { healthChecks, type HealthSources, type SandboxHealth } from "../../http/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { counted } from "../../shared/text/counted.ts";
import type { Agent } from "../compose.ts";
import { diskOf } from "../process/process-stats.ts";

/** The parts of the process whose health is told. */
export interface HealthParts {
  readonly agent: Pick<Agent, "host" | "settings">;
  readonly health: HealthSources;
}

/** Looks at what `GET /health/detailed` looks at, and says it in sentences: the operator may read why. */
export async function healthRows({ agent, health }: HealthParts): Promise<readonly HealthRow[]> {
  const { host, settings } = agent;
  const { home } = settings.paths;
  const checks = await healthChecks({ host, stats: { disk: () => diskOf(home) }, sources: health });
  const { state_db: store, config, disk, sandbox } = checks;
  const full = disk.used_percent === undefined ? "" : `${disk.used_percent} % used`;
  return [
    row("Store", store, store.status === "ok" ? "Sessions are read and written." : UNREADABLE),
    row("Configuration", config, config.detail ?? "It is valid as it stands in the files now."),
    modelRow(host),
    row("Disk", disk, disk.status === "ok" ? full : `${full}: free some space, or move the home.`),
    ...(sandbox === undefined ? [] : [row("Sandbox", sandbox, sandboxText(sandbox))]),
    connectorRow(health),
    exitRow(health),
  ];
}

const UNREADABLE = "The database does not answer; the log of failures below says why.";

const row = (name: string, { status }: { readonly status: string }, text: string): HealthRow => ({
  name,
  ok: status === "ok",
  text,
});

function modelRow({ services }: Agent["host"]): HealthRow {
  try {
    const { provider, name } = services.models().resolve({});
    return { name: "Model", ok: true, text: `${provider}:${name} is set up.` };
  } catch (thrown) {
    return { name: "Model", ok: false, text: toHostError(thrown).message };
  }
}

const sandboxText = ({ holds, engine, detail }: SandboxHealth): string =>
  holds ? `Commands run inside (${engine ?? ""}); no escape that was tried went through.` : (detail ?? "");

function connectorRow(health: HealthSources): HealthRow {
  const platforms = Object.entries(health.platforms());
  const failed = platforms.filter(([, { state }]) => state === "failed").map(([name]) => name);
  const text = `${counted(platforms.length, "connector")} in this process`;
  return failed.length === 0
    ? { name: "Connectors", ok: true, text: `${text}.` }
    : { name: "Connectors", ok: false, text: `${text}; failed: ${failed.join(", ")}.` };
}

function exitRow({ lastExit }: HealthSources): HealthRow {
  switch (lastExit?.reason) {
    case undefined:
      return { name: "Last run", ok: true, text: "This is the first one." };
    case "stopped":
      return { name: "Last run", ok: true, text: "It ended as it was told to." };
    case "failed":
      return { name: "Last run", ok: false, text: "It failed; the log of failures below says why." };
    case "killed":
      return {
        name: "Last run",
        ok: false,
        text: "It was killed: by somebody, for want of memory, or with the machine.",
      };
  }
}
