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
  /** Resolves when the copy is gone that this one took the place of. */
  readonly replaced: Promise<void> | undefined;
  users: number;
}

/** The newest copies of this process, by the folder that holds them. */
const copies = new Map<string, EtcCopy>();
/** How many want the newest copy to stay there between its users, by the same folder. */
const keepers = new Map<string, number>();

/** Keeps the newest copy, whenever it is made, also while no sandbox uses it. Disposing ends that. */
export function keepEtc({ tempDir }: Pick<SandboxPolicy, "tempDir">): AsyncDisposable {
  keepers.set(tempDir, keepersOf(tempDir) + 1);
  return {
    async [Symbol.asyncDispose]() {
      const others = keepersOf(tempDir) - 1;
      if (others === 0) keepers.delete(tempDir);
      else keepers.set(tempDir, others);
      const copy = copies.get(tempDir);
      if (copy !== undefined) await removeUnused(tempDir, copy);
    },
  };
}

const keepersOf = (tempDir: string): number => keepers.get(tempDir) ?? 0;

/** Gives a copy of what programs read of `/etc`. To copy it takes longer than all else that a sandbox needs, and nobody inside can change it: sandboxes share one. */
export async function useEtc(
  { tempDir }: Pick<SandboxPolicy, "tempDir">,
  { clock }: Pick<SandboxTools, "clock">,
): Promise<UsedEtc> {
  const now = clock.monotonic();
  const known = copies.get(tempDir);
  const isFresh = known !== undefined && now - known.madeAt < FRESH_MS;
  const copy = isFresh ? known : replace(tempDir, { known, now });
  copy.users += 1;
  const release = async (): Promise<void> => {
    copy.users -= 1;
    await removeUnused(tempDir, copy);
  };
  try {
    return { arguments: (await copy.made).shown, [Symbol.asyncDispose]: release };
  } catch (thrown) {
    if (copies.get(tempDir) === copy) copies.delete(tempDir);
    throw thrown;
  }
}

function replace(
  tempDir: string,
  { known, now }: { readonly known: EtcCopy | undefined; readonly now: number },
): EtcCopy {
  copies.delete(tempDir);
  // Who waits for the new one need not wait for that; what cannot be removed is by a process that comes after this one.
  const replaced = known && removeUnused(tempDir, known).catch(() => undefined);
  const copy = { madeAt: now, made: newCopy(tempDir), replaced, users: 0 };
  copies.set(tempDir, copy);
  return copy;
}

/** Removes a copy that nobody uses, and that nobody keeps for the next one. */
async function removeUnused(tempDir: string, copy: EtcCopy): Promise<void> {
  const isNewest = copies.get(tempDir) === copy;
  if (copy.users > 0 || (isNewest && keepersOf(tempDir) > 0)) return;
  if (isNewest) copies.delete(tempDir);
  await copy.replaced;
  const { folder } = await copy.made;
  await removeEtc(etcIn(folder));
  await folder[Symbol.asyncDispose]();
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
