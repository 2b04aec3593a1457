import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import { isUnder } from "../workspace/roots.ts";

/** A file or folder of this machine in a container. */
export interface Mount {
  /** Absolute. */
  readonly from: string;
  /** Where it is inside; the same place by default. */
  readonly to?: string;
  readonly readOnly?: boolean;
}

/**
 * The arguments for mounts, in their order.
 *
 * @throws HostError `tool_failed` for a name that no engine can be given
 */
export const mountArguments = (mounts: readonly Mount[]): readonly string[] => mounts.flatMap(mountArgument);

function mountArgument({ from, to = from, readOnly = false }: Mount): readonly string[] {
  if (/[\n\r\0"]/.test(from + to)) {
    throw new HostError("tool_failed", `${JSON.stringify(from)} cannot be mounted in a container: rename it`);
  }
  // Each of both forms has a sign that it cannot bear in a name.
  if (!/:/.test(from + to)) return ["--volume", `${from}:${to}:${readOnly ? "ro" : "rw"}`];
  if (/,/.test(from + to)) {
    throw new HostError(
      "tool_failed",
      `${from} has both : and , in its name, which no engine can mount: rename it`,
    );
  }
  return ["--mount", `type=bind,source=${from},target=${to}${readOnly ? ",readonly" : ""}`];
}

/**
 * Makes the folders in which mounts lie that are inside others of them: an engine that runs as root would make them its own.
 *
 * @param own - folders of the session, by their place inside
 */
export async function makePlaces(
  mounts: readonly Mount[],
  own: Readonly<Record<string, string>>,
): Promise<void> {
  const places = mounts.map(({ from, to = from }) => ({ from, to }));
  const isOwn = (path: string): boolean => Object.keys(own).includes(path);
  for (const { from, to } of places) {
    const around = places
      .filter((other) => other.to !== to && isUnder(to, other.to))
      .map((other) => other.to);
    const [inside] = around;
    if (inside === undefined || around.length > 1 || !isOwn(inside)) continue;
    const place = `${own[inside] ?? ""}${to.slice(inside.length)}`;
    const isFolder = (await stat(from)).isDirectory();
    await mkdir(isFolder ? place : dirname(place), { recursive: true });
    if (!isFolder) await writeFile(place, "", { flag: "a" });
  }
}
