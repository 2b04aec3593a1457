import type { EnvironmentPort } from "../../rpc/index.ts";
import type { LiveSettings } from "../config/live-settings.ts";

/** The environment file, for the gateway. */
export const environmentPort = (live: LiveSettings): EnvironmentPort => ({
  reload: () => live.reloadEnvironment(),
});
