import type { HealthSources, ServerLog, Metrics } from "../../http/index.ts";
import type { Agent } from "../compose.ts";
import type { AppSettings } from "../config/settings.ts";
import type { BackgroundServices } from "./background-services.ts";
import type { Io } from "../process/io.ts";
import type { UpdateCheck } from "../update/update-check.ts";

/** A server that `agent gateway` runs beside the others on one host. */
export interface Connector {
  /** For people: what it is and where. */
  readonly title: string;
  /** From now on it takes no new work. */
  drain(): void;
  /** The host's turns have ended: tells those who still listen, and closes. */
  close(): Promise<void>;
}

/** A kind of connector: its name, its settings, and its start, which throws and leaves nothing behind on failure. */
export interface ConnectorKind {
  readonly name: string;
  /** Its key in `platforms` of config.yaml. */
  readonly platform: string;
  /** The settings that switch it on, for the message when none is. */
  readonly switches: string;
  isEnabled(settings: AppSettings): boolean;
  /** Why it would do nothing although it is switched on; absent where nothing but the settings can keep it from it. */
  offBecause?(settings: AppSettings): string | undefined;
  /** Checks its settings before anything is opened. @throws HostError `config_invalid` */
  check(settings: AppSettings): void;
  start(agent: Agent, context: ConnectorContext): Promise<Connector>;
}

/** The parts of the process that a connector uses. */
export interface ConnectorContext {
  readonly io: Io;
  readonly log: ServerLog;
  /** Counts what the process does. */
  readonly metrics: Metrics;
  readonly health: HealthSources;
  /** Lets settings that were changed take effect at once. */
  readonly look: () => Promise<void>;
  /** Lets open turns end, then starts the program anew; absent where the system has no way to. */
  readonly restart?: () => void;
  /** The question for a newer version of this program. */
  readonly updates: UpdateCheck;
  /** The home's jobs and what goes out. */
  readonly services: BackgroundServices;
}
