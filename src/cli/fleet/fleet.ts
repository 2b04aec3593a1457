import { HostError } from "../../shared/errors/host-error.ts";
import { Fleet, type FleetStatus, fleetApp } from "../../deployment/fleet/index.ts";
import { listen } from "../../http/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal-text.ts";
import { openAgent } from "../../app/compose.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { stopSignal } from "../../app/process/stop-signal.ts";

async function atFleet(io: Io, work: (fleet: Fleet) => Promise<string>): Promise<number> {
  await using agent = await openAgent(io, { resident: false });
  const { store, host } = agent;
  const { clock, hex } = host.services;
  await write(io.stdout, await work(new Fleet({ records: store.records, clock, hex })));
  return EXIT.completed;
}

/** `agent fleet serve`: the panel with the public status, until it is told to stop. */
export async function serveFleet(
  io: Io,
  address: { readonly host: string; readonly port: number },
): Promise<number> {
  await using agent = await openAgent(io, { resident: false });
  const { store, host } = agent;
  const { clock, hex, report } = host.services;
  const app = fleetApp(new Fleet({ records: store.records, clock, hex }), { report });
  const listening = await listen(app, address);
  await write(
    io.stderr,
    `agent: fleet panel on ${listening.url}/api/plugins/agent-infra-panel/status.html\n`,
  );
  await stopSignal(io);
  await listening.close();
  return EXIT.completed;
}

/** `agent fleet status`. */
export function showFleet(io: Io, { json }: { readonly json: boolean }): Promise<number> {
  return atFleet(io, async (fleet) => {
    const status = await fleet.status();
    const instances = await fleet.instances();
    if (json) {
      const shown = instances.map(({ name, lastSeenAt, version }) => ({
        name,
        last_seen_at: lastSeenAt === undefined ? null : time(lastSeenAt),
        version: version ?? null,
      }));
      return `${JSON.stringify({ healthy: status.healthy, online: status.online, total: status.total, instances: shown }, undefined, 2)}\n`;
    }
    const lines = instances.map(
      ({ name, lastSeenAt }) =>
        `  ${name.padEnd(24)}  ${lastSeenAt === undefined ? "never heard of" : `last heard of ${time(lastSeenAt)}`}`,
    );
    return `${headline(status)}\n${lines.map((line) => `${forTerminalLine(line)}\n`).join("")}`;
  });
}

const headline = ({ healthy, online, total }: FleetStatus): string =>
  `${healthy ? "operational" : "degraded"}: ${online} of ${total} instances online`;

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** `agent fleet add`: prints the token once; only its hash is kept. */
export function addInstance(io: Io, name: string): Promise<number> {
  return atFleet(io, async (fleet) => {
    const token = await fleet.register(name);
    return `Registered ${name}. On that machine, put into its .env:\n  FLEET_TOKEN=${token}\nand into its config.yaml:\n  fleet: {panel_url: <address of this panel>, instance: ${name}}\n`;
  });
}

/** `agent fleet remove`. */
export function removeInstance(io: Io, name: string): Promise<number> {
  return atFleet(io, async (fleet) => {
    await fleet.remove(name);
    return `Removed ${name}.\n`;
  });
}

/** `agent fleet gaps`: when instances were not heard of; only staff see this. */
export function listGaps(io: Io, { json }: { readonly json: boolean }): Promise<number> {
  return atFleet(io, async (fleet) => {
    const gaps = await fleet.gaps();
    if (json) {
      const shown = gaps.map(({ id, instance, from, to }) => ({
        id,
        instance,
        from: time(from),
        to: to === undefined ? null : time(to),
      }));
      return `${JSON.stringify(shown, undefined, 2)}\n`;
    }
    if (gaps.length === 0) return "No gaps.\n";
    return gaps
      .map(
        ({ id, from, to }) =>
          `${forTerminalLine(id)}  from ${time(from)} ${to === undefined ? "until now" : `to ${time(to)}`}\n`,
      )
      .join("");
  });
}

export interface IncidentFlags {
  readonly text?: string;
  /** A gap that is made public. */
  readonly gap?: string;
}

/** `agent fleet incident open`: public from now on. */
export function openIncident(
  io: Io,
  { title, text = "", gap }: IncidentFlags & { readonly title: string },
): Promise<number> {
  return atFleet(io, async (fleet) => {
    const { id } = gap === undefined ? await fleet.open(title, text) : await fleet.promote(gap, title, text);
    return `Opened incident ${id}. It is public now.\n`;
  });
}

/** `agent fleet incident resolve`. */
export function resolveIncident(io: Io, id: string): Promise<number> {
  return atFleet(io, async (fleet) => {
    await fleet.resolve(id);
    return `Resolved incident ${id}.\n`;
  });
}

/** `agent fleet incident list`. */
export function listIncidents(io: Io): Promise<number> {
  return atFleet(io, async (fleet) => {
    const incidents = await fleet.incidents();
    if (incidents.length === 0) return "No incidents.\n";
    return incidents
      .map(({ id, title, startedAt, resolvedAt }) =>
        forTerminal(
          `${id}  ${time(startedAt)}  ${resolvedAt === undefined ? "open    " : "resolved"}  ${title}\n`,
        ),
      )
      .join("");
  });
}

/** Reads `host:port`. @throws HostError `command_usage` */
export function readAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === "" || Number(port) > 65_535) {
    throw new HostError("command_usage", `${JSON.stringify(text)} is no address such as 127.0.0.1:8650.`);
  }
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}
