import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { type Io, writeLines } from "../process/io.ts";

const CONSOLE = "/dev/tty1";

/** The ways in which a Box shows its activation code to who stands before it, and to nobody else. */
export interface ActivationScreen {
  readonly show: (code: string) => Promise<void>;
  readonly clear: () => Promise<void>;
  readonly licenceKey?: string;
}

/** The screen of this machine: stderr, its first console, and a file that only the home's owner reads. */
export function activationScreen(io: Io, home: string, licenceKey?: string): ActivationScreen {
  const file = join(home, "activation.code");
  return {
    async show(code) {
      const words = `Activation code: ${code}\n`;
      replaceFile(file, words, 0o600);
      await writeLines(io.stderr, words);
      // A machine without a console, or one that this user may not write to, has the other two.
      await writeFile(CONSOLE, words).catch(() => undefined);
    },
    clear: () => rm(file, { force: true }),
    ...(licenceKey === undefined ? {} : { licenceKey }),
  };
}
