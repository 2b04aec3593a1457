import { expect, test } from "vitest";
import type { CommandResult } from "../../../../src/core/ports/store.ts";
import { logPen, titleSet } from "../../../kit/log-pen.ts";
import {
  aCommand,
  type ContractHome,
  drive,
  inbox,
  newSession,
  ok,
  type OpenHome,
  settled,
  turnUntil,
} from "./home.ts";

export function commandContract(openHome: OpenHome): void {
  /** A session `s` driven by `owner`, and another host that has something to ask. */
  const ownedSession = async (home: ContractHome) => {
    const owner = await home.openHost();
    const sender = await home.openHost();
    const pen = await newSession(owner, "s");
    const fence = await drive(owner, "s", pen);
    return { owner, sender, pen, fence };
  };

  test("a command is answered with the rows that carry it out", async () => {
    await using home = await openHome();
    const { owner, sender, pen, fence } = await ownedSession(home);
    const box = inbox(owner);
    const command = aCommand("c1", "s");
    const answer = sender.send(command);
    await box.holds(1);
    const { waitMs, ...sent } = command;
    expect(box.seen).toEqual([{ ...sent, deadline: home.clock.now() + waitMs }]);
    const result: CommandResult = { id: "c1", ok: false, body: `{"code":"interrupted"}` };
    await owner.append(pen.append("s", [titleSet("done")], { fence, results: [result] }));
    expect(await answer).toEqual(result);
    expect((await sender.record("s"))?.state.title).toBe("done");
  });

  test("a command that leads to no row is answered too", async () => {
    await using home = await openHome();
    const { owner, sender } = await ownedSession(home);
    owner.onCommand(({ id }) => void owner.answer([ok(id)]));
    expect(await sender.send(aCommand("c1", "s"))).toEqual(ok("c1"));
    // A host can ask itself.
    expect(await owner.send(aCommand("c2", "s"))).toEqual(ok("c2"));
  });

  test("commands are handed out once each, in the order in which they were sent", async () => {
    await using home = await openHome();
    const { owner, sender } = await ownedSession(home);
    const box = inbox(owner);
    const ids = Array.from({ length: 40 }, (_, index) => `c${index}`);
    const answers = ids.map((id) => sender.send(aCommand(id, "s")));
    await box.holds(ids.length);
    await settled(owner, sender);
    expect(box.seen.map(({ id }) => id)).toEqual(ids);
    await owner.answer(ids.map(ok));
    expect(await Promise.all(answers)).toEqual(ids.map(ok));
    expect(box.seen).toHaveLength(ids.length);
  });

  test("commands from many hosts reach the owner of each session, and nobody else", async () => {
    await using home = await openHome();
    const hosts = [await home.openHost(), await home.openHost(), await home.openHost()];
    const seen: string[] = [];
    for (const [index, host] of hosts.entries()) {
      await drive(host, `s${index}`, await newSession(host, `s${index}`));
      host.onCommand(({ id, session }) => {
        seen.push(`${session} ${index} ${id}`);
        void host.answer([ok(id)]);
      });
    }
    const sent = hosts.flatMap((host, from) =>
      hosts.map(async (_, to) => {
        const id = `from ${from} to ${to}`;
        expect(await host.send(aCommand(id, `s${to}`))).toEqual(ok(id));
        return `s${to} ${to} ${id}`;
      }),
    );
    expect((await Promise.all(sent)).sort()).toEqual(seen.sort());
  });

  test("a session that nobody drives answers nothing, at once", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const other = await home.openHost();
    await newSession(store, "s");
    expect(await other.send(aCommand("c1", "s"))).toBeUndefined();
    expect(await other.send(aCommand("c2", "nobody"))).toBeUndefined();
  });

  test("a command that nobody took is taken back when the session is given back", async () => {
    await using home = await openHome();
    const { owner, sender, pen, fence } = await ownedSession(home);
    const answer = sender.send(aCommand("c1", "s"));
    await settled(sender, owner);
    await owner.append(pen.append("s", [], { fence, release: true }));
    expect(await answer).toBeUndefined();
    const box = inbox(owner);
    await drive(owner, "s", pen);
    await settled(owner, sender);
    expect(box.seen).toEqual([]);
  });

  test("a command that was taken is waited for, also when the session is given back", async () => {
    await using home = await openHome();
    const { owner, sender, pen, fence } = await ownedSession(home);
    const box = inbox(owner);
    const answer = sender.send(aCommand("c1", "s"));
    await box.holds(1);
    await owner.append(pen.append("s", [], { fence, release: true }));
    await settled(sender, owner);
    await owner.append(pen.append("s", [titleSet("late")], { release: true, results: [ok("c1")] }));
    expect(await answer).toEqual(ok("c1"));
  });

  test("a command that was given back is carried out by who took it, as long as it has the session", async () => {
    await using home = await openHome();
    const { owner, sender, pen, fence } = await ownedSession(home);
    const box = inbox(owner);
    const answers = ["c1", "c2", "c3"].map((id) => sender.send(aCommand(id, "s")));
    await box.holds(3);
    // As one does who takes the owner for dead; on the owner's way to the store nothing comes in between.
    const giveBack = () => owner.forgetHost(owner.hostId);
    const append = pen.append("s", [titleSet("done")], { fence, results: [ok("c1")] });
    const [, appended] = await Promise.all([giveBack(), owner.append(append)]);
    expect(appended).toEqual({ status: "ok", fence });
    expect(await answers[0]).toEqual(ok("c1"));
    const [, withdrawn] = await Promise.all([giveBack(), owner.answer([ok("c2")])]);
    expect(withdrawn).toEqual([]);
    expect(await answers[1]).toEqual(ok("c2"));
    // Whoever has the session next carries it out.
    await owner.append(pen.append("s", [], { fence, release: true }));
    const [, late] = await Promise.all([giveBack(), owner.answer([ok("c3")])]);
    expect(late).toEqual(["c3"]);
  });

  test("after its deadline nobody waits for a command, and nobody is bothered with it", async () => {
    await using home = await openHome();
    const { owner, sender, pen, fence } = await ownedSession(home);
    const box = inbox(owner);
    const answer = sender.send(aCommand("c1", "s"));
    await box.holds(1);
    const began = home.clock.now();
    expect(await turnUntil(home, [owner, sender], answer)).toBeUndefined();
    expect(home.clock.now() - began).toBeGreaterThanOrEqual(60_000);
    expect(home.clock.now() - began).toBeLessThan(63_000);
    // It is carried out no more: whoever answers is told so, and nothing is appended.
    expect(await owner.answer([ok("c1")])).toEqual(["c1"]);
    const tooLate = [ok("c1")];
    const { state } = pen;
    const refused = logPen(undefined, state).append("s", [titleSet("late")], { fence, results: tooLate });
    expect(await owner.append(refused)).toEqual({ status: "withdrawn", commands: ["c1"] });
    const nothing = logPen(undefined, state).append("s", [], { fence, results: tooLate, reserve: 9_000_000 });
    expect(await owner.append(nothing)).toEqual({ status: "ok", fence, withdrawn: ["c1"] });
    expect(await owner.append(pen.append("s", [titleSet("on")], { fence }))).toEqual({ status: "ok", fence });
    expect((await owner.read("s", { after: 0, limit: 9 }))?.rows.at(-1)?.n).toBe(pen.state.n);

    const late = { ...aCommand("c2", "s"), waitMs: 0 };
    expect(await sender.send(late)).toBeUndefined();
    await settled(owner, sender);
    expect(box.seen.map(({ id }) => id)).toEqual(["c1"]);
  });

  test("a dead owner is not waited for", async () => {
    await using home = await openHome();
    const { owner, sender } = await ownedSession(home);
    const box = inbox(owner);
    const began = home.clock.now();
    const taken = sender.send(aCommand("c1", "s"));
    await box.holds(1);
    await home.kill(owner);
    expect(await turnUntil(home, [sender], taken)).toBeUndefined();
    expect(home.clock.now() - began).toBeLessThan(5_000);
    expect(await sender.send(aCommand("c2", "s"))).toBeUndefined();
  });

  test("what a dead owner left undone is done by who takes over", async () => {
    await using home = await openHome();
    const { owner, sender } = await ownedSession(home);
    const heir = await home.openHost();
    const box = inbox(owner);
    const timers = home.clock.pending().length;
    const answer = sender.send(aCommand("c1", "s"));
    await box.holds(1);
    // The sender has seen that its owner lives, and waits.
    await home.clock.untilPending(timers + 1);
    await home.kill(owner);
    const heard = inbox(heir);
    await heir.takeOver("s", owner.hostId);
    await heard.holds(1);
    expect(heard.seen.map(({ id }) => id)).toEqual(["c1"]);
    await heir.answer([ok("c1")]);
    expect(await answer).toEqual(ok("c1"));
  });

  test("an answer that is already there is not lost with the owner", async () => {
    await using home = await openHome();
    const { owner, sender, pen, fence } = await ownedSession(home);
    const box = inbox(owner);
    const answer = sender.send(aCommand("c1", "s"));
    await box.holds(1);
    await owner.append(pen.append("s", [titleSet("done")], { fence, results: [ok("c1")] }));
    await home.kill(owner);
    expect(await answer).toEqual(ok("c1"));
  });

  test("a sender that closes waits no longer", async () => {
    await using home = await openHome();
    const { owner, sender } = await ownedSession(home);
    const box = inbox(owner);
    const answer = sender.send(aCommand("c1", "s"));
    await box.holds(1);
    await sender[Symbol.asyncDispose]();
    expect(await answer).toBeUndefined();
  });
}
