import { readFileSync } from "node:fs";

/** The package's version, from its manifest: beside `src/` in a checkout, beside `dist/` when installed. */
export function packageVersion(): string {
  for (const up of ["../../package.json", "../package.json", "../../../package.json"]) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), "utf8"));
      if (isManifest(manifest) && manifest.name === "agent-host") return manifest.version;
    } catch {
      // Bundled code stands in another folder than its source: the next one up.
    }
  }
  return "unknown";
}

const isManifest = (value: unknown): value is { name: string; version: string } =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  "version" in value &&
  typeof value.version === "string";
