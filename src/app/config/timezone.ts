import { isZone } from "../../shared/text/zoned-time.ts";
import { type ConfigSource, invalidSetting } from "./block.ts";

/**
 * The zone in which schedules are meant: `timezone` in config.yaml, else that of the machine.
 *
 * @throws HostError `config_invalid` for a name that is no zone
 */
export function timeZone({ config, paths }: ConfigSource): string {
  const name = config["timezone"];
  if (name === undefined || name === null || name === "") {
    return Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
  if (typeof name === "string" && isZone(name)) return name;
  throw invalidSetting(
    "timezone",
    `in ${paths.config} is ${JSON.stringify(name)}, which is no time zone. Write one such as Europe/Berlin or UTC`,
  );
}
