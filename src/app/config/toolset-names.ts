import { HostError } from "../../shared/errors/host-error.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";

/** All that there are in any version; `mcp` is every server's, `mcp:<server>` that of one. */
export const TOOLSET_NAMES: readonly string[] = [
  "files",
  "terminal",
  "web",
  "vision",
  "memory",
  "kb",
  "skills",
  "todo",
  "sessions",
  "delegate",
  "clarify",
  "mcp",
];

export const isToolsetName = (name: string): boolean =>
  name.startsWith("mcp:") || TOOLSET_NAMES.includes(name);

/** Lists the names, for messages. */
export const TOOLSET_LIST = `${TOOLSET_NAMES.join(", ")} and mcp:<server>`;

/** @throws HostError `invalid_params` for a toolset that is not there, with the one that is meant */
export function checkToolsets(names: readonly string[]): void {
  for (const name of names) {
    if (isToolsetName(name)) continue;
    const meant = nearestName(name, TOOLSET_NAMES);
    const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw new HostError(
      "invalid_params",
      `There is no toolset ${JSON.stringify(name.slice(0, 80))}.${guess} There are ${TOOLSET_LIST}.`,
      { details: { subject: "toolsets" } },
    );
  }
}
