import { isJsonObject } from "../../shared/json/json.ts";
import type { AppSettings } from "./settings.ts";

/** The block of a platform in config.yaml, as it was read; empty when there is none. */
export function platformBlock({ config }: AppSettings, name: string): Readonly<Record<string, unknown>> {
  const platforms = config["platforms"];
  const block = isJsonObject(platforms) ? platforms[name] : undefined;
  return isJsonObject(block) ? block : {};
}
