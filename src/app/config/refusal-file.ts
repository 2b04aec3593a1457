import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RefusalMemory } from "../../providers/models/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";

/** A model may take images one day that it has refused. */
const KEPT_MS = 30 * 24 * 3_600_000;
const FILE_MODE = 0o600;

/** The models that have refused images, in a file of the home. Without it they are sent one again. */
export function refusalFile(home: string, clock: Clock): RefusalMemory {
  const path = join(home, "image_refusals.json");
  const known = (): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.entries(contentOf(path)).flatMap(([key, at]) =>
        typeof at === "number" && at > clock.now() - KEPT_MS ? [[key, at]] : [],
      ),
    );
  return {
    list: () => Object.keys(known()),
    add(key) {
      try {
        replaceFile(path, `${JSON.stringify({ ...known(), [key]: clock.now() })}\n`, FILE_MODE);
      } catch {
        // A disk that is full or read-only costs one more request after a restart.
      }
    },
  };
}

function contentOf(path: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseForeignJson(readFileSync(path, "utf8"));
    return isJsonObject(value) ? value : {};
  } catch {
    // There is none yet, or somebody else has written it.
    return {};
  }
}
