import type { Host } from "../../core/index.ts";
import type { AdmissionControl } from "../server/admission.ts";
import type { EventStreams } from "../server/event-streams.ts";
import type { ImageSource } from "./images.ts";
import type { Runs } from "./runs.ts";
import type { ApiSettings } from "./settings.ts";
import type { Turns } from "./turns.ts";
import type { IdempotencyStore } from "./idempotency.ts";

/** The parts that the routes of an API server work with. */
export interface ApiContext {
  readonly host: Host;
  readonly settings: ApiSettings;
  readonly admission: AdmissionControl;
  readonly streams: EventStreams;
  readonly turns: Turns;
  readonly runs: Runs;
  readonly idempotency: IdempotencyStore;
  readonly images: ImageSource;
  /** The user on the roster with this id; without it there are none. */
  readonly userOf?: (id: string) => Promise<ApiUser | undefined>;
}

/** A user on the roster, as the API knows them. */
export interface ApiUser {
  readonly isDisabled: boolean;
  /** Absent for the one at the terminal, whose memory is the home's. */
  readonly memoryScope?: string;
}
