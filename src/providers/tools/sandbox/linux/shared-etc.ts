import { join } from "node:path";
import type { SandboxPolicy, SandboxTools } from "../policy.ts";
import { type LivingFolder, openLivingFolder } from "../session-folder.ts";
import { innerUser, removeEtc, writeEtc } from "./system-folders.ts";

/** Sandboxes that open later get a new copy: certificates and the time zone of the machine change now and then. */
const FRESH_MS = 10 * 60_000;

/** The arguments that show a copy of `/etc`. Disposing gives it back; the last one who does removes it. */
export interface UsedEtc extends AsyncDisposable {
  readonly arguments: readonly string[];
}

interface EtcCopy {
  readonly madeAt: number;
  readonly made: Promise<{ readonly folder: LivingFolder; readonly shown: readonly string[] }>;
  users: number;
}

/** The newest copies of this process, by the folder that holds them. */
const copies = new Map<string, EtcCopy>();

/** Gives a copy of what programs read of `/etc`. To copy it takes longer than all else that a sandbox needs, and nobody inside can change it: sandboxes share one. */
export async function useEtc(
  { tempDir }: Pick<SandboxPolicy, "tempDir">,
  { clock }: Pick<SandboxTools, "clock">,
): Promise<UsedEtc> {
  const now = clock.monotonic();
  const known = copies.get(tempDir);
  const isFresh = known !== undefined && now - known.madeAt < FRESH_MS;
  const copy = isFresh ? known : { madeAt: now, made: newCopy(tempDir), users: 0 };
  copies.set(tempDir, copy);
  copy.users += 1;
  const release = async (): Promise<void> => {
    copy.users -= 1;
    if (copy.users > 0) return;
    if (copies.get(tempDir) === copy) copies.delete(tempDir);
    const { folder } = await copy.made;
    await removeEtc(etcIn(folder));
    await folder[Symbol.asyncDispose]();
  };
  try {
    return { arguments: (await copy.made).shown, [Symbol.asyncDispose]: release };
  } catch (thrown) {
    if (copies.get(tempDir) === copy) copies.delete(tempDir);
    throw thrown;
  }
}

const etcIn = ({ path }: LivingFolder): string => join(path, "etc");

async function newCopy(tempDir: string) {
  const folder = await openLivingFolder(tempDir);
  try {
    return { folder, shown: await writeEtc(etcIn(folder), innerUser()) };
  } catch (thrown) {
    await folder[Symbol.asyncDispose]();
    throw thrown;
  }
}
