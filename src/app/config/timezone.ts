import { HostError } from "../../shared/errors/host-error.ts";
import { isZone } from "../../automation/jobs/index.ts";
import type { AppSettings } from "./settings.ts";

/**
 * The zone in which schedules are meant: `timezone` in config.yaml, else that of the machine.
 *
 * @throws HostError `config_invalid` for a name that is no zone
 */
export function timeZone({ config, paths }: AppSettings): string {
  const name = config["timezone"];
  if (name === undefined || name === null || name === "") {
    return Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
  if (typeof name === "string" && isZone(name)) return name;
  throw new HostError(
    "config_invalid",
    `timezone in ${paths.config} is ${JSON.stringify(name)}, which is no time zone. Write one such as Europe/Berlin or UTC.`,
    { details: { subject: "timezone" } },
  );
}
