import { expect, test } from "vitest";
import { logPen, sessionStart, titleSet } from "../../../kit/log-pen.ts";
import { drive, moves, newSession, type OpenHome, piece } from "./home.ts";

export function watchContract(openHome: OpenHome): void {
  test("a watcher hears of rows and of streamed text in another process", async () => {
    await using home = await openHome();
    const owner = await home.openHost();
    const watcher = await home.openHost();
    const pen = await newSession(owner, "s");
    const fence = await drive(owner, "s", pen);
    const heard = moves(watcher, "s");
    // A caller that watches first and then reads misses nothing.
    expect((await watcher.read("s", { after: 0, limit: 10 }))?.head).toEqual(pen.head);

    await owner.append(pen.append("s", [titleSet("row")], { fence }));
    await heard.past(0);
    expect((await watcher.read("s", { after: 0, limit: 10 }))?.head).toEqual(pen.head);

    const { seq } = pen.head;
    for (const [index, word] of ["one", "two", "three"].entries()) {
      const before = heard.count;
      await owner.append(pen.append("s", [], { fence, pieces: [piece(seq + index * 5, word)] }));
      await heard.past(before);
      expect((await watcher.read("s", { after: seq + index * 5, limit: 10 }))?.pieces).toHaveLength(1);
    }

    const before = heard.count;
    await owner.append(pen.append("s", [], { fence, clearPieces: true, release: true }));
    await owner.remove("s");
    await heard.past(before);
    expect(await watcher.read("s", { after: 0, limit: 10 })).toBeUndefined();
  });

  test("a store hears of a session that another process makes", async () => {
    await using home = await openHome();
    const maker = await home.openHost();
    const watcher = await home.openHost();
    const heard = moves(watcher, "later");
    expect(await watcher.record("later")).toBeUndefined();
    await newSession(maker, "later");
    await heard.past(0);
  });

  test("one's own appends are no news, and neither are those to other sessions", async () => {
    await using home = await openHome();
    const mine = await home.openHost();
    const other = await home.openHost();
    const pen = await newSession(mine, "s");
    const beside = await newSession(other, "beside");
    const heard = moves(mine, "s");
    const marker = moves(mine, "marker");
    const fence = await drive(mine, "s", pen);
    for (let turn = 0; turn < 5; turn += 1) {
      await mine.append(
        pen.append("s", [titleSet(`${turn}`)], { fence, pieces: [piece(pen.head.seq + 2, "x")] }),
      );
      await other.append(beside.append("beside", [titleSet(`${turn}`)], { release: true }));
      await mine.append(pen.append("s", [], { fence, clearPieces: true }));
    }
    // Once this has been noticed, everything before it would have been too.
    const start = logPen();
    await other.create("marker", start.rows([sessionStart()]), start.state);
    await marker.past(0);
    expect(heard.count).toBe(0);
  });

  test("an append that is refused hides no news", async () => {
    await using home = await openHome();
    const owner = await home.openHost();
    const watcher = await home.openHost();
    const pen = await newSession(owner, "s");
    const fence = await drive(owner, "s", pen);
    const heard = moves(watcher, "s");
    await watcher.record("s");
    for (let turn = 0; turn < 5; turn += 1) {
      const before = heard.count;
      const outdated = pen.append("s", []);
      await owner.append(pen.append("s", [titleSet(`${turn}`)], { fence }));
      expect(await watcher.append(outdated)).toMatchObject({ status: "owned" });
      await heard.past(before);
    }
  });

  test("who stops watching hears nothing more, and others still do", async () => {
    await using home = await openHome();
    const owner = await home.openHost();
    const watcher = await home.openHost();
    const pen = await newSession(owner, "s");
    const life = new AbortController();
    const leaver = moves(watcher, "s", life.signal);
    const stayer = moves(watcher, "s");
    moves(watcher, "s", AbortSignal.abort());
    await watcher.record("s");
    await owner.append(pen.append("s", [titleSet("1")], { release: true }));
    await Promise.all([leaver.past(0), stayer.past(0)]);
    const heard = leaver.count;
    life.abort();
    const before = stayer.count;
    await owner.append(pen.append("s", [titleSet("2")], { release: true }));
    await stayer.past(before);
    expect(leaver.count).toBe(heard);
  });
}
