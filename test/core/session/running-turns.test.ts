import { expect, test } from "vitest";
import { DEFAULT_POLICY, type Models, type Policy, promptText } from "../../../src/core/index.ts";
import { random, times } from "../../kit/counts.ts";
import { Machine, type TestProcess } from "../../kit/machine.ts";
import { type Gate, gate, say, scriptedModelWith, wait } from "../../kit/scripted-model.ts";

const limited = (runningTurns: number): Policy => ({
  ...DEFAULT_POLICY,
  limits: { ...DEFAULT_POLICY.limits, runningTurns },
  autoTitle: false,
});

/** The turns of several hosts: who runs what, and the doors behind which each waits. */
class Work {
  /** The prompts in the order in which their turns began, as `host: prompt`. */
  readonly began: string[] = [];
  readonly running = new Map<string, number>();
  most = 0;
  readonly #gates = new Map<string, Gate>();

  models(who: string): Models {
    return scriptedModelWith({
      otherwise: ({ messages }) => {
        const prompt = messages.findLast(({ role }) => role === "user");
        // What an interrupted turn was asked stands above.
        const text = (prompt?.role === "user" ? promptText(prompt.parts) : "").split("\n").at(-1) ?? "";
        this.began.push(`${who}: ${text}`);
        const now = (this.running.get(who) ?? 0) + 1;
        this.running.set(who, now);
        this.most = Math.max(this.most, now);
        const door = gate();
        this.#gates.set(text, door);
        return [wait(door), say(`did ${text}`)];
      },
    });
  }

  get open(): readonly string[] {
    return [...this.#gates.keys()];
  }

  /** Lets a turn end. */
  end(text: string): void {
    const who = this.began.find((line) => line.endsWith(`: ${text}`))?.split(":")[0] ?? "";
    this.running.set(who, (this.running.get(who) ?? 0) - 1);
    this.#gates.get(text)?.open();
    this.#gates.delete(text);
  }

  /** The host is gone with all that it runs. */
  lose(who: string): void {
    for (const line of this.began)
      if (line.startsWith(`${who}: `)) this.#gates.delete(line.slice(who.length + 2));
    this.running.delete(who);
  }
}

test("above the limit prompts wait in their queues, and run in the order in which they came, no session before its turn", async () => {
  const machine = new Machine();
  const work = new Work();
  const { host } = await machine.start(work.models("a"), { policy: limited(1) });
  const sessions = [await host.open(), await host.open(), await host.open()] as const;
  const submit = async (at: 0 | 1 | 2, text: string) => {
    const turn = sessions[at].submit({ text, mode: "queue" });
    const { status } = await turn.accepted;
    await machine.pass(250);
    return { status, turn };
  };
  const sent = [
    await submit(0, "first"),
    await submit(1, "second"),
    await submit(0, "third"),
    await submit(2, "fourth"),
    await submit(1, "fifth"),
  ];
  expect(sent.map(({ status }) => status)).toEqual(["started", "queued", "queued", "queued", "queued"]);
  // Who looks sees them queued, and may take them back.
  expect(sessions[1].state.queue.map(({ prompt }) => promptText(prompt.parts))).toEqual(["second", "fifth"]);
  await sessions[2].stop(sent[3]?.turn.promptId ?? "");
  for (const text of ["first", "second", "third", "fifth"]) {
    await machine.pass(3000, () => work.open.includes(text));
    expect(work.open).toEqual([text]);
    work.end(text);
  }
  await machine.pass(1000);
  expect(work.began).toEqual(["a: first", "a: second", "a: third", "a: fifth"]);
  expect(work.most).toBe(1);
  expect((await sent[4]?.turn.result)?.text).toBe("did fifth");
  await host.close();
});

test("a host with room takes what waits at a full one within a second, and a session that is not busy anywhere", async () => {
  const machine = new Machine({ apart: true });
  const work = new Work();
  const full = await machine.start(work.models("full"), { policy: limited(1) });
  const empty = await machine.start(work.models("empty"), { policy: limited(1) });
  const [one, two] = [await full.host.open(), await full.host.open()];
  await one.submit({ text: "here" }).accepted;
  const turn = two.submit({ text: "there" });
  expect((await turn.accepted).status).toBe("queued");
  await machine.pass(1000, () => work.open.length > 1);
  expect(work.began).toEqual(["full: here", "empty: there"]);
  work.end("there");
  await machine.pass(2000);
  // Who asked hears it where they asked.
  expect((await turn.result).text).toBe("did there");
  work.end("here");
  await machine.pass(3000);
  await Promise.all([full.host.close(), empty.host.close()]);
});

test("hosts that fill up, free up and die run each prompt once, the oldest first, and none more than it may", async () => {
  for (let seed = 1; seed <= times(30); seed += 1) {
    const dice = random(seed);
    const machine = new Machine({ apart: true });
    const work = new Work();
    const names = ["a", "b", "c"];
    const hosts = new Map<string, TestProcess>();
    for (const name of names)
      hosts.set(name, await machine.start(work.models(name), { policy: limited(2), keepLeaseMs: 0 }));
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(dice() * list.length)];
    const sessions: string[] = [];
    for (let made = 0; made < 8; made += 1)
      sessions.push((await pick([...hosts.values()])?.host.open())?.id ?? "");
    const sent: string[] = [];
    for (let step = 0; step < 40; step += 1) {
      const roll = dice();
      const host = pick([...hosts.values()])?.host;
      if (roll < 0.55 && host !== undefined) {
        const text = `p${sent.length}`;
        sent.push(text);
        const session = await host.session(pick(sessions) ?? "");
        await machine.during(session.submit({ text }).accepted);
      } else if (roll < 0.95) {
        const text = pick(work.open);
        if (text !== undefined) work.end(text);
      } else if (hosts.size > 2) {
        const [name, dying] = pick([...hosts]) ?? ["", undefined];
        dying?.die();
        hosts.delete(name);
        work.lose(name);
      }
      await machine.pass(500);
    }
    // All that is left comes to its end, the oldest first.
    for (let left = 0; left < 200; left += 1) {
      await machine.pass(work.open.length > 0 ? 500 : 2000);
      const [next] = work.open;
      if (next !== undefined) work.end(next);
      else if (left > 20) break;
    }
    const texts = work.began.map((line) => line.slice(3));
    expect(texts.toSorted(), `seed ${seed}`).toEqual(sent.toSorted());
    expect(work.most, `seed ${seed}`).toBeLessThanOrEqual(2);
    for (const { host } of hosts.values()) await machine.during(host.close());
  }
});
