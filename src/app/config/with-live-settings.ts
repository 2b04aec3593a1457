import { systemClock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Io } from "../process/io.ts";
import { LiveSettings } from "./live-settings.ts";
import { loadSettings } from "./settings.ts";

/** Uses the settings of a command that needs neither store nor host. */
export async function withLiveSettings<T>(
  { env, cwd, platform, set }: Pick<Io, "env" | "cwd" | "platform" | "set">,
  use: (live: LiveSettings) => Promise<T>,
): Promise<T> {
  const settings = await loadSettings(env, cwd, set);
  const start = { environment: env, cwd, clock: systemClock, platform, ...defined({ set }) };
  await using live = new LiveSettings(settings, start);
  return await use(live);
}
