import { localTime } from "../../shared/text/local-time.ts";
import { Fleet, type FleetStatus } from "../../deployment/fleet/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { type Agent, openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";

/** Prints what some work on the fleet of this home comes to. */
async function printFromFleet(io: Io, work: (fleet: Fleet) => Promise<string>): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  await write(io.stdout, await work(fleetOf(agent)));
}

/** The fleet whose records are in an agent's home. */
export function fleetOf({ store, host }: Agent): Fleet {
  const { clock, hex } = host.services;
  return new Fleet({ records: store.records, clock, hex });
}

/** `agent fleet status`. */
export function showFleet(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  return printFromFleet(io, async (fleet) => {
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
        `  ${name.padEnd(24)}  ${lastSeenAt === undefined ? "never heard of" : `last heard of ${localTime(lastSeenAt)}`}`,
    );
    return `${headline(status)}\n${lines.map((line) => `${forTerminalLine(line)}\n`).join("")}`;
  });
}

const headline = ({ healthy, online, total }: FleetStatus): string =>
  `${healthy ? "operational" : "degraded"}: ${online} of ${total} instances online`;

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** `agent fleet add`: prints the token once; only its hash is kept. */
export function addInstance(io: Io, { name }: { readonly name: string }): Promise<void> {
  return printFromFleet(io, async (fleet) => {
    const token = await fleet.register(name);
    return `Registered ${name}. On that machine, put into its .env:\n  FLEET_TOKEN=${token}\nand into its config.yaml:\n  fleet: {panel_url: <address of this panel>, instance: ${name}}\n`;
  });
}

/** `agent fleet remove`. */
export function removeInstance(io: Io, { name }: { readonly name: string }): Promise<void> {
  return printFromFleet(io, async (fleet) => {
    await fleet.remove(name);
    return `Removed ${name}.\n`;
  });
}

/** `agent fleet gaps`: when instances were not heard of; only staff see this. */
export function listGaps(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  return printFromFleet(io, async (fleet) => {
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
          `${forTerminalLine(id)}  from ${localTime(from)} ${to === undefined ? "until now" : `to ${localTime(to)}`}\n`,
      )
      .join("");
  });
}

/** `agent fleet incident open`: public from now on. */
export function openIncident(
  io: Io,
  { title, text = "", gap }: { readonly title: string; readonly text?: string; readonly gap?: string },
): Promise<void> {
  return printFromFleet(io, async (fleet) => {
    const { id } = gap === undefined ? await fleet.open(title, text) : await fleet.promote(gap, title, text);
    return `Opened incident ${id}. It is public now.\n`;
  });
}

/** `agent fleet incident resolve`. */
export function resolveIncident(io: Io, { id }: { readonly id: string }): Promise<void> {
  return printFromFleet(io, async (fleet) => {
    await fleet.resolve(id);
    return `Resolved incident ${id}.\n`;
  });
}

/** `agent fleet incident list`. */
export function listIncidents(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  return printFromFleet(io, async (fleet) => {
    const incidents = await fleet.incidents();
    if (json) {
      const shown = incidents.map(({ id, title, text, startedAt, resolvedAt }) => ({
        id,
        title,
        text,
        started_at: time(startedAt),
        resolved_at: resolvedAt === undefined ? null : time(resolvedAt),
      }));
      return `${JSON.stringify(shown, undefined, 2)}\n`;
    }
    if (incidents.length === 0) return "No incidents.\n";
    return incidents
      .map(({ id, title, startedAt, resolvedAt }) =>
        forTerminal(
          `${id}  ${localTime(startedAt)}  ${resolvedAt === undefined ? "open    " : "resolved"}  ${title}\n`,
        ),
      )
      .join("");
  });
}
