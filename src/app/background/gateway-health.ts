import type { HealthSources, LastExit, PlatformState, SandboxHealth } from "../../http/index.ts";
import { loadSettings } from "../config/settings.ts";
import type { Io } from "../process/io.ts";
import type { SessionSandboxes } from "../sandbox/session-sandboxes.ts";
import type { ConnectorKind } from "./connector.ts";

/** The parts of a gateway whose health is told. */
export interface GatewayHealthParts {
  readonly io: Io;
  /** The connectors that are switched on. */
  readonly kinds: readonly ConnectorKind[];
  readonly sandboxes: Pick<SessionSandboxes, "currentSettings" | "status">;
  readonly lastExit: LastExit | undefined;
}

/** The health of a gateway: its connectors, its configuration as it is now, and the end of the run before. */
export class GatewayHealth implements HealthSources {
  readonly lastExit?: LastExit;
  readonly #io: Io;
  readonly #kinds: readonly ConnectorKind[];
  readonly #sandboxes: Pick<SessionSandboxes, "currentSettings" | "status">;
  readonly #platforms = new Map<string, PlatformState>();

  constructor({ io, kinds, sandboxes, lastExit }: GatewayHealthParts) {
    this.#io = io;
    this.#kinds = kinds;
    this.#sandboxes = sandboxes;
    if (lastExit !== undefined) this.lastExit = lastExit;
  }

  /** Notes the state of a connector. */
  set(kind: ConnectorKind, state: PlatformState["state"], updatedAt: number): void {
    this.#platforms.set(kind.platform, { state, updatedAt });
  }

  /** Notes that a connector does not run any more. */
  forget(kind: ConnectorKind): void {
    this.#platforms.delete(kind.platform);
  }

  platforms(): Readonly<Record<string, PlatformState>> {
    return Object.fromEntries(this.#platforms);
  }

  /** Escapes are tried at the first question, and when the settings have changed. */
  async sandbox(): Promise<SandboxHealth> {
    const { backend } = await this.#sandboxes.currentSettings();
    if (backend === "local")
      return { status: "ok", backend, holds: false, detail: "Commands run as the user, after an approval." };
    const found = await this.#sandboxes.status();
    if (found.available) return { status: "ok", backend, holds: true, engine: found.engine.kind };
    const isBroken = backend !== "auto" || found.test !== undefined;
    // How a command got out names paths.
    const detail =
      found.test === undefined ? found.reason : "A command got out of it; `agent doctor` tells how.";
    return { status: isBroken ? "degraded" : "ok", backend, holds: false, detail };
  }

  /** Reads the files anew: a mistake in them shows before the next start does. */
  async config(): ReturnType<HealthSources["config"]> {
    try {
      const settings = await loadSettings(this.#io.env, this.#io.cwd, this.#io.set);
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
