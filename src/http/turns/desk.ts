import type { Host } from "../../core/index.ts";
import type { Admission } from "../server/admission.ts";
import type { Streams } from "../server/streams.ts";
import type { ImageSource } from "./images.ts";
import type { Runs } from "./runs.ts";
import type { ApiSettings } from "./settings.ts";
import type { Turns } from "./turns.ts";
import type { WorkKeys } from "./work-keys.ts";

/** What the routes of an API server work with. */
export interface Desk {
  readonly host: Host;
  readonly settings: ApiSettings;
  readonly admission: Admission;
  readonly streams: Streams;
  readonly turns: Turns;
  readonly runs: Runs;
  readonly keys: WorkKeys;
  readonly images: ImageSource;
}
