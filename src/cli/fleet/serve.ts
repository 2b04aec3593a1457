import { openAgent } from "../../app/compose.ts";
import type { Io } from "../../app/process/io.ts";
import { stopSignal } from "../../app/process/signals.ts";
import { fleetApp } from "../../deployment/fleet/index.ts";
import { listen } from "../../http/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type LogFlags, logChoice } from "../log-options.ts";
import { fleetOf } from "./fleet.ts";

/** `agent fleet serve`: the panel with the public status, until it is told to stop. */
export async function serveFleet(
  io: Io,
  { listen: place, ...log }: LogFlags & { readonly listen: string },
): Promise<void> {
  const address = readAddress(place);
  await using agent = await openAgent(io, { resident: false, log: logChoice(log) });
  const app = fleetApp(fleetOf(agent), { report: agent.log.report, log: agent.log.write });
  const listening = await listen(app, address);
  // Who reads that it listens may stop it at once.
  const stopped = stopSignal(io);
  agent.log.announce(`fleet panel on ${listening.url}/api/plugins/agent-infra-panel/status.html`);
  await stopped;
  await listening.close();
}

/** Reads `host:port`. @throws HostError `command_usage` */
function readAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === "" || Number(port) > 65_535) {
    throw new HostError("command_usage", `${JSON.stringify(text)} is no address such as 127.0.0.1:8650.`);
  }
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}
