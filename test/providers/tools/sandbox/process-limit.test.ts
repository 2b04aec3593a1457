import { existsSync } from "node:fs";
import { mkdir, readlink, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openProcessLimit } from "../../../../src/providers/tools/sandbox/linux/process-limit.ts";

const host = { uid: 0, hostPid: process.pid, session: "/tmp/agent-sandbox-here" };
// Only root's processes are in groups, and only where it may make them.
const isBounded = process.getuid?.() === 0 && (await isOpen());

async function isOpen(): Promise<boolean> {
  await using limit = await openProcessLimit(host, 100);
  return limit.gap === undefined;
}

test.runIf(isBounded)(
  "groups of killed hosts go, those of hosts in other namespaces of processes stay",
  async () => {
    await using limit = await openProcessLimit(host, 100);
    const groups = dirname(dirname(limit.enter));
    const namespace = /\d+/.exec(await readlink("/proc/self/ns/pid"))?.[0] ?? "";
    const nobody = 2 ** 22 + 1;
    const [ours, elsewhere] = [namespace, `${namespace}0`].map((where) =>
      join(groups, `agent-sandbox-${where}-${nobody}-test`),
    );
    if (ours === undefined || elsewhere === undefined) throw new Error("There are two.");
    await Promise.all([mkdir(ours), mkdir(elsewhere)]);
    await using next = await openProcessLimit({ ...host, session: "/tmp/agent-sandbox-next" }, 100);
    expect(next.gap).toBeUndefined();
    expect([ours, elsewhere, dirname(limit.enter)].map((group) => existsSync(group))).toEqual([
      false,
      true,
      true,
    ]);
    await rmdir(elsewhere);
  },
);
