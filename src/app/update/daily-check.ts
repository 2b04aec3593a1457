import type { OutgoingEvents } from "../../automation/outgoing/index.ts";
import type { Agent } from "../compose.ts";
import { baseHome } from "../config/home.ts";
import type { AppSettings } from "../config/settings.ts";
import type { Io } from "../process/io.ts";
import { ownProgram } from "../process/own-program.ts";
import { packageVersion } from "../process/version.ts";
import { installationOf } from "./installation.ts";
import { UpdateCheck } from "./update-check.ts";
import { Versions } from "./versions.ts";

/** Makes the question for a newer version of this program. */
export function updateCheck(
  io: Io,
  { store, host, log }: Pick<Agent, "store" | "host" | "log">,
  events: Pick<OutgoingEvents, "updateAvailable">,
): UpdateCheck {
  const version = packageVersion();
  const versions = new Versions(baseHome(io.env, io.cwd), io);
  return new UpdateCheck({
    records: store.records,
    clock: host.services.clock,
    log: log.write,
    version,
    available: (newest) => events.updateAvailable(version, newest),
    newest: (signal) => versions.newest(signal),
  });
}

/** Whether the registry is asked unasked: not where `updates.check` is off, and not for a checkout. */
export const asksDaily = ({ machine }: Io, { blocks }: Pick<AppSettings, "blocks">): boolean =>
  blocks.updates?.check !== false && !installationOf(ownProgram(machine)).isCheckout;
