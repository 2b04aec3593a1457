import type { SandboxPolicy, SandboxTools } from "../policy.ts";
import { openSessionFolder, type SessionFolder } from "../session-folder.ts";
import { innerUser, writeEtc } from "./system-folders.ts";

/** Sandboxes that open later get a new copy: certificates and the time zone of the machine change now and then. */
const FRESH_MS = 10 * 60_000;

/** The arguments that show a copy of `/etc`. Disposing gives it back; the last one who does removes it. */
export interface UsedEtc extends AsyncDisposable {
  readonly arguments: readonly string[];
}

interface EtcCopy {
  readonly madeAt: number;
  readonly made: Promise<{ readonly folder: SessionFolder; readonly shown: readonly string[] }>;
  users: number;
}

/** The newest copies of this process, by the folder that holds them. */
const copies = new Map<string, EtcCopy>();

/** Gives a copy of what programs read of `/etc`. To copy it takes longer than all else that a sandbox needs, and nobody inside can change it: sandboxes share one. */
export async function useEtc(
  policy: Pick<SandboxPolicy, "tempDir" | "home">,
  { clock }: Pick<SandboxTools, "clock">,
): Promise<UsedEtc> {
  const now = clock.monotonic();
  const known = copies.get(policy.tempDir);
  const isFresh = known !== undefined && now - known.madeAt < FRESH_MS;
  const copy = isFresh ? known : { madeAt: now, made: newCopy(policy), users: 0 };
  copies.set(policy.tempDir, copy);
  copy.users += 1;
  const release = async (): Promise<void> => {
    copy.users -= 1;
    if (copy.users > 0) return;
    if (copies.get(policy.tempDir) === copy) copies.delete(policy.tempDir);
    await (await copy.made).folder[Symbol.asyncDispose]();
  };
  try {
    return { arguments: (await copy.made).shown, [Symbol.asyncDispose]: release };
  } catch (thrown) {
    if (copies.get(policy.tempDir) === copy) copies.delete(policy.tempDir);
    throw thrown;
  }
}

async function newCopy({ tempDir, home }: Pick<SandboxPolicy, "tempDir" | "home">) {
  const folder = await openSessionFolder(tempDir, home);
  try {
    return { folder, shown: await writeEtc(folder.etc, innerUser()) };
  } catch (thrown) {
    await folder[Symbol.asyncDispose]();
    throw thrown;
  }
}
