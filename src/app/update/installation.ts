import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { packageVersion } from "../process/version.ts";

/** The way in which this program came to the machine. */
export interface Installation {
  /** The version that runs. */
  readonly version: string;
  /** The version of the package whose command was started: an update puts another one in its place. */
  readonly base: string;
  /** The package's folder. */
  readonly root: string;
  /** The command's own file, which starts whatever stands in its place. */
  readonly program: string;
  /** A checkout is updated by its owner, with the source control that it came from. */
  readonly isCheckout: boolean;
}

const Manifest = z.looseObject({ version: z.string() });

/** @param program - the file of the command, as the process was started with it */
export function installationOf(program: string): Installation {
  const root = dirname(dirname(realpathSync(program)));
  const base = Manifest.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).version;
  // The published package has no sources.
  return { version: packageVersion(), base, root, program, isCheckout: existsSync(join(root, "src")) };
}

/** The commands that update a checkout, in their order. */
export const checkoutCommands = ({ root }: Pick<Installation, "root">): readonly string[] => [
  "agent backup make",
  `git -C ${root} pull`,
  `npm --prefix ${root} ci`,
];
