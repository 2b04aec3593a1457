import type { HealthSources, LastExit, PlatformState } from "../../http/index.ts";
import { loadSettings } from "../config/settings.ts";
import type { Io } from "../process/io.ts";
import type { ConnectorKind } from "./connector.ts";

/** The health of a gateway: its connectors, its configuration as it is now, and the end of the run before. */
export class GatewayHealth implements HealthSources {
  readonly lastExit?: LastExit;
  readonly #io: Io;
  readonly #kinds: readonly ConnectorKind[];
  readonly #platforms = new Map<string, PlatformState>();

  /** @param kinds - the connectors that are switched on */
  constructor(io: Io, kinds: readonly ConnectorKind[], lastExit: LastExit | undefined) {
    this.#io = io;
    this.#kinds = kinds;
    if (lastExit !== undefined) this.lastExit = lastExit;
  }

  /** Notes the state of a connector. */
  set(kind: ConnectorKind, state: PlatformState["state"], updatedAt: number): void {
    this.#platforms.set(kind.platform, { state, updatedAt });
  }

  platforms(): Readonly<Record<string, PlatformState>> {
    return Object.fromEntries(this.#platforms);
  }

  /** Reads the files anew: a mistake in them shows before the next start does. */
  async config(): ReturnType<HealthSources["config"]> {
    try {
      const settings = await loadSettings(this.#io.env, this.#io.cwd);
      for (const kind of this.#kinds) kind.check(settings);
      return { status: "ok" };
    } catch {
      return {
        status: "degraded",
        detail: "The configuration cannot be used as it is now; `agent doctor` names what is wrong.",
      };
    }
  }
}
