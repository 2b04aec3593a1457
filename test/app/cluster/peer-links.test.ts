import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { ClusterHosts } from "../../../src/app/cluster/cluster-hosts.ts";
import { LINK_VERSIONS, newGreeting, type LinkVersions } from "../../../src/app/cluster/link/handshake.ts";
import { LinkSeal } from "../../../src/app/cluster/link/link-seal.ts";
import { PeerLinks } from "../../../src/app/cluster/link/peer-links.ts";
import {
  DEFAULT_POLICY,
  type Host,
  HostError,
  type Models,
  openHost,
  type SessionEvent,
  systemClock,
} from "../../../src/core/index.ts";
import { type MemoryHome, memoryHome } from "../../../src/providers/store/index.ts";
import { hurriedClock } from "../../chat/kit/hurried-clock.ts";
import { countedPeers } from "../../kit/counted-peers.ts";
import { gate, type Gate, say, scriptedModel, type Step, wait } from "../../kit/scripted-model.ts";
import { type LineState, startTcpProxy, type TcpProxy } from "../../kit/tcp-proxy.ts";
import { allEvents, untilTrue } from "../../kit/test-host.ts";

const SECRET = "a secret of thirty-two characters";

interface Joined extends AsyncDisposable {
  readonly host: Host;
  readonly links: PeerLinks;
  /** Between the others and this host. */
  readonly line: TcpProxy;
  readonly reported: string[];
  /** Readings that the link has answered. */
  readonly near: () => number;
}

interface JoinOptions {
  readonly models?: Models;
  readonly secret?: string;
  readonly versions?: LinkVersions;
  /** So many looks for the address of another host find the store away. */
  readonly away?: number;
}

const policy = { ...DEFAULT_POLICY, autoTitle: false };

let pids = 0;

async function join(
  home: MemoryHome,
  { models = scriptedModel(), secret = SECRET, versions, away = 0 }: JoinOptions = {},
): Promise<Joined> {
  pids += 1;
  const name = `m${pids}`;
  const identity = { pid: pids, startedAt: "1", bootId: name, pidNamespace: name, machineId: name };
  const store = home.open({ identity, clock: systemClock });
  const { records, hostId } = store;
  const reported: string[] = [];
  const report = (error: Error): void => void reported.push(error.message);
  let failures = away;
  const links = new PeerLinks({
    hostId,
    secret,
    clock: systemClock,
    session: (id) => host.session(id),
    record: (id) => store.record(id),
    hosts() {
      failures -= 1;
      return failures < 0 ? hosts.all() : Promise.reject(new HostError("store_unavailable", "It is away."));
    },
    report,
    ...(versions && { versions }),
  });
  const line = await startTcpProxy(await links.listen(0, "127.0.0.1"));
  const advertise = `http://127.0.0.1:${line.port}`;
  const hosts = new ClusterHosts({
    records,
    hostId,
    machine: { id: name, name },
    clock: systemClock,
    advertise,
  });
  await hosts.join();
  const peers = countedPeers(links);
  const host: Host = await openHost({ store, models, peers, policy, clock: hurriedClock, report });
  return {
    host,
    links,
    line,
    reported,
    near: peers.near,
    async [Symbol.asyncDispose]() {
      await host.close();
      await links[Symbol.asyncDispose]();
      await line[Symbol.asyncDispose]();
      await hosts[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** A reply of words, each behind a gate. */
function wordByWord(words: readonly string[]): {
  readonly steps: readonly Step[];
  readonly gates: readonly Gate[];
} {
  const gates = words.map(() => gate());
  const steps = words.flatMap((word, index) => [wait(gates[index] ?? gate()), say(word)]);
  return { steps, gates };
}

/** A reader at a host: all that it got, and a way to wait for a text. */
function readAt(host: Host, id: string) {
  const events: SessionEvent[] = [];
  const waiting: { readonly holds: () => boolean; readonly resolve: () => void }[] = [];
  const life = new AbortController();
  const text = (): string =>
    events.map((event) => (event.type === "message.delta" ? event.text : "")).join("");
  const reading = (async () => {
    for await (const event of (await host.session(id)).events({
      after: 0,
      live: false,
      signal: life.signal,
    })) {
      events.push(event);
      for (const each of waiting) if (each.holds()) each.resolve();
      if (event.type === "turn.end") return;
    }
  })();
  return {
    events,
    text,
    reading,
    until(wanted: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ holds: () => text().endsWith(wanted), resolve });
      if (text().endsWith(wanted)) resolve();
      return promise;
    },
    stop: () => life.abort(),
  };
}

/** What was read is exactly what is there: no hole, no repeat, in order. */
async function expectWhole(read: readonly SessionEvent[], host: Host, id: string): Promise<void> {
  const there = await allEvents(await host.session(id));
  const isText = ({ type }: SessionEvent): boolean => type === "message.delta";
  const joined = (events: readonly SessionEvent[]) =>
    events.map((event) => (event.type === "message.delta" ? event.text : "")).join("");
  expect(joined(read)).toBe(joined(there));
  const rows = (events: readonly SessionEvent[]) =>
    events.filter((event) => !isText(event)).map(({ type, seq }) => `${seq} ${type}`);
  expect(rows(read)).toEqual(rows(there));
  const seqs = read.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
}

test("text comes straight from the host that drives a session; cut, slow, and one way, readers lose and repeat nothing", async () => {
  const faults: readonly (LineState | "break")[] = [
    {},
    { delayMs: 15 },
    "break",
    { oneWay: "to client" },
    {},
    { oneWay: "to server" },
    "break",
    { cut: true },
    {},
    { delayMs: 5 },
  ];
  const words = Array.from({ length: 400 }, (_, index) => `wörd-${index} 🙂 `);
  const { steps, gates } = wordByWord(words);
  const home = memoryHome();
  await using driver = await join(home, { models: scriptedModel(steps) });
  await using other = await join(home);
  const session = await driver.host.open();
  const readers = [readAt(other.host, session.id), readAt(other.host, session.id)];
  const turn = session.submit({ text: "go" });
  await turn.accepted;
  let said = 0;
  const sayNext = async (): Promise<void> => {
    const word = words[said];
    if (word === undefined) throw new Error("The link does not come back.");
    gates[said]?.open();
    said += 1;
    for (const reader of readers) await reader.until(word);
  };
  for (const fault of faults) {
    if (fault === "break") driver.line.break();
    else driver.line.set(fault);
    await sayNext();
    // Once nothing is in its way, text comes by the link again.
    const before = other.near();
    const isFree = fault !== "break" && Object.keys(fault).length === 0;
    const isBack = (): boolean => !isFree || other.near() > before;
    while (!isBack()) {
      await untilTrue(() => other.links.peers.length > 0);
      await sayNext();
    }
  }
  for (const each of gates) each.open();
  await turn.result;
  for (const { reading, events } of readers) {
    await reading;
    await expectWhole(events, driver.host, session.id);
  }
  expect(other.near()).toBeGreaterThan(0);
  expect([...driver.reported, ...other.reported]).toEqual([]);
});

test("two hosts have one link, whoever calls, and a reader goes from one driver to the next", async () => {
  const home = memoryHome();
  const say3 = (): Models => scriptedModel([say("one "), say("two "), say("three")]);
  await using a = await join(home, { models: say3() });
  await using b = await join(home, { models: say3() });
  const [atA, atB] = [await a.host.open(), await b.host.open()];
  const readers = [readAt(b.host, atA.id), readAt(a.host, atB.id)];
  await Promise.all([atA.submit({ text: "x" }).result, atB.submit({ text: "y" }).result]);
  await Promise.all(readers.map(({ reading }) => reading));
  await expectWhole(readers[0]?.events ?? [], a.host, atA.id);
  await expectWhole(readers[1]?.events ?? [], b.host, atB.id);
  expect(a.links.peers.length).toBeLessThanOrEqual(1);
  expect(b.links.peers.length).toBeLessThanOrEqual(1);
});

test("a look for another host that fails is told of, and made again: one that nobody catches would end the process", async () => {
  const home = memoryHome();
  const { steps, gates } = wordByWord(Array.from({ length: 100 }, (_, index) => `${index} `));
  await using driver = await join(home, { models: scriptedModel(steps) });
  // Only this one calls: the other one follows nothing.
  await using other = await join(home, { away: 1 });
  const session = await driver.host.open();
  const reader = readAt(other.host, session.id);
  const turn = session.submit({ text: "go" });
  await turn.accepted;
  let said = 0;
  while (other.near() === 0) {
    gates[said]?.open();
    await reader.until(`${said} `);
    said += 1;
    if (said === 1) await untilTrue(() => other.reported.length > 0);
    if (said === 2) await untilTrue(() => other.links.peers.length > 0);
  }
  expect(other.reported).toEqual(["It is away."]);
  for (const each of gates) each.open();
  await turn.result;
  await reader.reading;
  await expectWhole(reader.events, driver.host, session.id);
});

test("a host without the secret, or too old, gets nothing, and its readers read the store; one version back works", async () => {
  const home = memoryHome();
  const { steps, gates } = wordByWord(["a ", "b "]);
  await using driver = await join(home, { models: scriptedModel(steps), versions: { newest: 3, oldest: 2 } });
  await using before = await join(home, { versions: { newest: 2, oldest: 1 } });
  await using old = await join(home, { versions: { newest: 1, oldest: 1 } });
  await using stranger = await join(home, { secret: "another secret of thirty-two chars" });
  const session = await driver.host.open();
  const hosts = [before, old, stranger];
  const readers = hosts.map(({ host }) => readAt(host, session.id));
  const turn = session.submit({ text: "go" });
  await turn.accepted;
  for (const [index, word] of ["a ", "b "].entries()) {
    gates[index]?.open();
    for (const reader of readers) await reader.until(word);
    await untilTrue(() => driver.reported.length > 1 && before.links.peers.length > 0);
  }
  await turn.result;
  for (const { reading, events } of readers) {
    await reading;
    await expectWhole(events, driver.host, session.id);
  }
  expect(old.near() + stranger.near()).toBe(0);
  expect(driver.reported.join("\n")).toMatch(/does not know the secret of this cluster/);
  expect(driver.reported.join("\n")).toMatch(/speaks versions 1 to 1; update it/);

  // Who only looks is told a number that is used once, and nothing else.
  const socket = new WebSocket(`ws://127.0.0.1:${driver.line.port}/cluster/link`);
  const said: string[] = [];
  socket.on("message", (data) => {
    if (Buffer.isBuffer(data)) said.push(data.toString());
    socket.send(JSON.stringify({ t: "follow", session: session.id, after: 0 }));
  });
  await new Promise((resolve) => socket.once("close", resolve));
  expect(said).toHaveLength(1);
  expect(Object.keys(JSON.parse(said[0] ?? "{}") as object).toSorted()).toEqual([
    "host",
    "newest",
    "nonce",
    "oldest",
  ]);
});

test("strangers may say little, are few at a time, and are told of once", async () => {
  const home = memoryHome();
  await using host = await join(home);
  const url = `ws://127.0.0.1:${host.line.port}/cluster/link`;
  const call = async (): Promise<{ readonly socket: WebSocket; readonly closed: Promise<unknown> }> => {
    const socket = new WebSocket(url);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    await once(socket, "open");
    return { socket, closed };
  };

  const talker = await call();
  // One frame of a megabyte: it is cut off long before it is whole.
  talker.socket.send(Buffer.alloc(1024 * 1024, 0x20));
  await talker.closed;

  const nonce = "0".repeat(64);
  for (const name of ["host_1", "host_2", "host_3"]) {
    const liar = await call();
    liar.socket.send(JSON.stringify({ host: name, nonce, newest: 2, oldest: 2, proof: nonce }));
    await liar.closed;
  }
  expect(host.reported).toEqual([
    "127.0.0.1 does not know the secret of this cluster: set the same cluster.secret on each machine.",
  ]);

  const silent = await Promise.all(Array.from({ length: 64 }, () => call()));
  await expect(call()).rejects.toThrow(/socket hang up|ECONNRESET/);
  for (const { socket } of silent) socket.terminate();
  await expect
    .poll(() => call().then(({ socket }) => (socket.terminate(), "taken"), String), { timeout: 20_000 })
    .toBe("taken");
});

test("what hosts tell each other opens once, in its order, unchanged, and for the other side only", () => {
  const [caller, called] = [newGreeting("host_a", LINK_VERSIONS), newGreeting("host_b", LINK_VERSIONS)];
  const sides = { caller, called };
  const seal = (): LinkSeal => new LinkSeal(SECRET, "caller", sides);
  const says = seal();
  const [one, two] = [says.seal("one wörd"), says.seal("two")];
  const changed = Uint8Array.from(one, (byte, at) => (at === 0 ? byte ^ 1 : byte));
  expect(Buffer.from(one).toString("latin1")).not.toContain("one");
  const hears = seal();
  expect([hears.open(one), hears.open(two)]).toEqual(["one wörd", "two"]);
  const other = { caller, called: newGreeting("host_b", LINK_VERSIONS) };
  const wrong: readonly (() => string)[] = [
    () => hears.open(two),
    () => seal().open(two),
    () => seal().open(changed),
    () => seal().open(one.subarray(0, -1)),
    () => seal().open(new Uint8Array()),
    () => new LinkSeal(SECRET, "called", sides).open(one),
    () => new LinkSeal(SECRET, "caller", other).open(one),
    () => new LinkSeal(`${SECRET}.`, "caller", sides).open(one),
  ];
  for (const open of wrong) expect(open).toThrow("not what the other host has said");
});
