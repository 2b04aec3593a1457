import { HostError } from "../../shared/errors/host-error.ts";
import type { EnvironmentPort } from "../../rpc/index.ts";
import { setEnvValue } from "../config/env-file.ts";
import type { LiveSettings } from "../config/live-settings.ts";

/** The environment file, for the gateway. */
export function environmentPort(live: LiveSettings): EnvironmentPort {
  return {
    reload: () => live.reloadEnvironment(),
    async store(name, value) {
      if (!/^[A-Za-z_]\w*$/.test(name)) {
        throw new HostError("invalid_params", `${JSON.stringify(name)} is no name of a variable.`);
      }
      await setEnvValue(live.current.paths.env, name, value);
      await live.reloadEnvironment();
    },
  };
}
