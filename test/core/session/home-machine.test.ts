import { expect, test } from "vitest";
import { ClusterHosts } from "../../../src/app/cluster/cluster-hosts.ts";
import { clusterMachines } from "../../../src/app/cluster/cluster-machines.ts";
import type { Session } from "../../../src/core/index.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { Machine, type TestProcess } from "../../kit/machine.ts";
import { say, scriptedModelWith } from "../../kit/scripted-model.ts";
import { allEvents } from "../../kit/test-host.ts";

interface Cluster {
  readonly machine: Machine;
  readonly systems: string[];
}

/** A host whose machine has a disk of its own below /disk, and storage that all share below /shared. */
async function join(
  { machine, systems }: Cluster,
  name: string,
  { who = name, adopts = false }: { readonly who?: string; readonly adopts?: boolean } = {},
): Promise<TestProcess> {
  const models = scriptedModelWith({
    otherwise: ({ system }) => {
      systems.push(system ?? "");
      return [say(`done at ${who}`)];
    },
  });
  let hosts: ClusterHosts | undefined;
  const here = { id: name, name: `the ${name}` };
  const { clock } = machine;
  const machines = {
    here,
    folder: `/started/${name}`,
    isChosen: (cwd: string) => clusterMachines({ ...parts(), here }).isChosen(cwd),
    keepsFiles: (cwd: string) => clusterMachines({ ...parts(), here }).keepsFiles(cwd),
    isThere: async (id: string) => (await hosts?.isThere(id)) ?? false,
    adopts: () => adopts,
  };
  const parts = () => ({
    hosts:
      hosts ?? new ClusterHosts({ records: memoryHome().open().records, hostId: "", machine: here, clock }),
    adopts: () => adopts,
    folder: `/started/${name}`,
    isFolderChosen: false,
    sharedStorage: (path: string) => (path.startsWith("/shared") ? "NFS" : undefined),
  });
  const process = await machine.start(models, { machines, keepLeaseMs: 0 }, name);
  hosts = new ClusterHosts({
    records: process.store.records,
    hostId: process.store.hostId,
    machine: here,
    clock,
  });
  await hosts.join();
  return process;
}

const answer = async (machine: Machine, session: Session, text = "go"): Promise<string> =>
  (await machine.during(session.submit({ text }).result)).text;

test("a session with files on a machine's disk runs there, wherever its prompts arrive; others run where they are asked", async () => {
  const cluster: Cluster = { machine: new Machine({ apart: true }), systems: [] };
  const { machine } = cluster;
  const laptop = await join(cluster, "laptop");
  const tower = await join(cluster, "tower");
  const made = await laptop.host.open({ cwd: "/disk/work" });
  const elsewhere = await tower.host.session(made.id);
  expect(elsewhere.state.home).toEqual({ id: "laptop", name: "the laptop" });
  const turn = elsewhere.submit({ text: "go" });
  expect((await machine.during(turn.accepted)).status).toBe("queued");
  const before = machine.clock.monotonic();
  expect((await machine.during(turn.result)).text).toBe("done at laptop");
  expect(machine.clock.monotonic() - before).toBeLessThanOrEqual(1000);
  for (const cwd of ["/shared/work", ""]) {
    const free = await laptop.host.open({ cwd });
    expect(await answer(machine, await tower.host.session(free.id))).toBe("done at tower");
  }
  // Who moves a session to a folder of their own machine moves its home.
  await elsewhere.set({ cwd: "/disk/other" });
  expect(await answer(machine, await laptop.host.session(made.id))).toBe("done at tower");

  // Another host of the machine will do, also for what the dead one had.
  const second = await join(cluster, "tower", { who: "tower's second" });
  tower.die();
  expect(await answer(machine, await laptop.host.session(made.id))).toMatch(/tower's second/);
  expect(cluster.systems.join()).not.toContain("cannot be reached");
  await Promise.all([laptop, second].map(({ host }) => machine.during(host.close())));
});

test("when a session's machine is gone its prompts are refused in words, or it is adopted and says so", async () => {
  const cluster: Cluster = { machine: new Machine({ apart: true }), systems: [] };
  const { machine } = cluster;
  const laptop = await join(cluster, "laptop");
  const strict = await join(cluster, "tower");
  const bold = await join(cluster, "rack", { adopts: true });
  const { id } = await laptop.host.open({ cwd: "/disk/work" });
  const waiting = (await strict.host.session(id)).submit({ text: "before" });
  await machine.during(waiting.accepted);
  laptop.die();
  await machine.pass(15_000);
  // What was sent before, and waited for it, goes on where that is allowed.
  expect((await machine.during(waiting.result)).text).toBe("done at rack");
  const other = await join(cluster, "cellar");
  const kept = await other.host.open({ cwd: "/disk/cellar" });
  other.die();
  await machine.pass(15_000);
  const refused = machine.during((await strict.host.session(kept.id)).submit({ text: "?" }).accepted);
  await expect(refused).rejects.toThrow(/on the cellar, and no agent runs there\. Start it there/);
  const session = await bold.host.session(kept.id);
  expect(await answer(machine, session)).toBe("done at rack");
  expect(cluster.systems.at(-1)).toContain("on another machine (the cellar), which cannot be reached");
  const notices = (await allEvents(session)).filter(({ type }) => type === "notice");
  expect(notices).toMatchObject([
    { kind: "workspace.gone", text: expect.stringContaining("the rack goes on without them") },
  ]);
  for (const { host } of [strict, bold]) await machine.during(host.close());
});

test("a session whose folder nobody chose runs where it is asked, in the folder of each machine", async () => {
  const cluster: Cluster = { machine: new Machine({ apart: true }), systems: [] };
  const { machine } = cluster;
  const laptop = await join(cluster, "laptop");
  const tower = await join(cluster, "tower");
  const made = await laptop.host.open({ cwd: "/started/laptop", roots: ["/started/laptop", "/data"] });
  expect(await answer(machine, made)).toBe("done at laptop");
  const session = await tower.host.session(made.id);
  expect(await answer(machine, session)).toBe("done at tower");
  expect(session.state).toMatchObject({ cwd: "/started/tower", roots: ["/started/tower", "/data"] });
  // What is queued there when its machine dies goes on as well.
  const running = laptop.host.session(made.id).then((each) => each.submit({ text: "first" }));
  await machine.during((await running).accepted);
  laptop.die();
  await machine.pass(15_000);
  expect(await answer(machine, session)).toBe("done at tower");
  expect(session.state).toMatchObject({ cwd: "/started/tower", queue: [] });
  // Whoever names the folder of another machine means it.
  const bound = await tower.host.open({ cwd: "/started/laptop" });
  expect(bound.state.home).toEqual({ id: "tower", name: "the tower" });
  await machine.during(tower.host.close());
});
