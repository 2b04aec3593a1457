import { readFileSync } from "node:fs";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";

/** The package's version, from its manifest: beside `src/` in a checkout, beside `dist/` when installed. */
export function packageVersion(): string {
  for (const up of ["../../package.json", "../package.json", "../../../package.json"]) {
    try {
      const manifest = parseForeignJson(readFileSync(new URL(up, import.meta.url), "utf8"));
      if (isJsonObject(manifest) && manifest["name"] === "agent-host") return String(manifest["version"]);
    } catch {
      // Bundled code stands in another folder than its source: the next one up.
    }
  }
  return "unknown";
}
