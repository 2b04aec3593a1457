import { describe, expect, test } from "vitest";
import {
  DEFAULT_POLICY,
  type GivenMessage,
  readTranscript,
  type Row,
  textPart,
} from "../../../src/core/index.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { gate, say, scriptedModel, scriptedModelWith, used, wait } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, outline } from "../../kit/test-host.ts";

const before: readonly GivenMessage[] = [
  { role: "user", parts: [textPart("What is in a.txt?")] },
  {
    role: "assistant",
    text: "Looking.",
    calls: [
      { id: "c1", name: "read", input: { path: "a.txt" } },
      { id: "c2", name: "read", input: {} },
    ],
  },
  { role: "tool", callId: "c1", text: "hello" },
  { role: "tool", callId: "nobody asked", text: "?" },
  { role: "assistant", text: "It says hello." },
];

describe("what was said before a prompt, elsewhere", () => {
  test("is part of every request of its session, and legal whatever a client gives", async () => {
    const model = scriptedModel();
    await using host = await hostWith(model);
    const session = await host.open();
    await session.submit({ text: "And b.txt?", before }).result;
    await session.submit({ text: "Thanks" }).result;
    for (const { messages } of model.requests) expect(conversationFaults(messages)).toEqual([]);
    expect(model.requests[1]?.messages).toMatchObject([
      { role: "user", parts: [{ text: "What is in a.txt?" }] },
      { role: "assistant", text: "Looking.", calls: [{ id: "c1" }, { id: "c2" }] },
      {
        role: "tool",
        results: [
          { callId: "c1", isError: false },
          { callId: "c2", isError: true },
        ],
      },
      { role: "assistant", text: "It says hello." },
      { role: "user", parts: [{ text: "And b.txt?" }] },
      { role: "assistant", text: "ok" },
      { role: "user", parts: [{ text: "Thanks" }] },
    ]);
    expect(outline(await allEvents(session)).slice(0, 3)).toEqual([
      "session.start",
      "history.given",
      "turn.start",
    ]);
    expect(session.state.preview).toBe("And b.txt?");
  });

  test("is read whole, however few entries a page has: no cursor stands within it", async () => {
    await using host = await hostWith(scriptedModel());
    const session = await host.open();
    const given = Array.from({ length: 9 }, (_, nth) => ({
      role: "user" as const,
      parts: [textPart(`${nth}`)],
    }));
    await session.submit({ text: "And now?", before: given }).result;
    const newest = await readTranscript(host.services.store, session, { limit: 2 });
    expect(newest.entries).toHaveLength(2);
    const page = await readTranscript(host.services.store, session, { limit: 2, before: newest.before ?? 0 });
    expect(page.entries).toHaveLength(9);
    expect(page.before).toBeUndefined();
  });

  test("waits in the queue with its prompt", async () => {
    const hold = gate();
    const model = scriptedModel([wait(hold), say("one")]);
    await using host = await hostWith(model);
    const session = await host.open();
    const first = session.submit({ text: "first" });
    await first.accepted;
    const second = session.submit({ text: "second", before });
    expect(await second.accepted).toMatchObject({ status: "queued" });
    hold.open();
    await second.result;
    expect(model.seen[1]).toEqual(["first", "What is in a.txt?", "second"]);
  });

  test("is summarized like everything else when it does not fit", async () => {
    const policy = { ...DEFAULT_POLICY, compression: { enabled: true, at: 0.5 } };
    const model = scriptedModelWith({ contextLength: 1000 }, [say("short"), used(1, 1)], [say("done")]);
    await using host = await hostWith(model, { policy });
    const session = await host.open();
    const long = Array.from({ length: 40 }, (_, nth) => ({
      role: "user" as const,
      parts: [textPart(`${nth} ${"word ".repeat(20)}`)],
    }));
    await session.submit({ text: "Go on", before: long }).result;
    expect(model.seen.at(-1)?.join(" ")).toContain("[Summary of the conversation so far]\nshort");
    expect(model.seen.at(-1)?.join(" ")).toContain("Go on");
  });
});

describe("a session that begins with a prompt", () => {
  test("is made together with it, and is like any other", async () => {
    const model = scriptedModel([say("Hello")], [say("again")]);
    await using host = await hostWith(model);
    const { session, turn } = await host.begin(
      { id: "mine", cwd: "/w", title: "Named" },
      { text: "hi", before },
    );
    expect(await turn.accepted).toMatchObject({ status: "started", after: 0 });
    expect((await Array.fromAsync(turn)).at(-1)).toMatchObject({ type: "turn.end", outcome: "completed" });
    expect(outline(await allEvents(session)).slice(0, 4)).toEqual([
      "session.start",
      "title.set",
      "history.given",
      "turn.start",
    ]);
    const again = await host.session("mine");
    expect((await again.submit({ text: "more" }).result).text).toBe("again");
    expect(await host.list({ limit: 9, offset: 0 })).toMatchObject([
      { id: "mine", state: { title: "Named" } },
    ]);
  });

  test("is not made when its id is taken, here or in another process", async () => {
    const model = scriptedModel();
    await using host = await hostWith(model);
    const session = await host.open({ id: "mine" });
    const begin = host.begin({ id: "mine" }, { text: "hi" });
    await expect(begin).rejects.toMatchObject({ code: "session_exists" });
    await using other = await hostWith(model, { store: host.services.store });
    await expect(other.begin({ id: "mine" }, { text: "hi" })).rejects.toMatchObject({
      code: "session_exists",
    });
    expect((await session.refresh()).counts.turns).toBe(0);
    expect((await other.session("mine")).state.counts.turns).toBe(0);
  });

  test("tells who observes of every row once", async () => {
    const rows: Row[] = [];
    await using host = await hostWith(scriptedModel(), { observe: (_session, row) => rows.push(row) });
    const { session, turn } = await host.begin({}, { text: "hi" });
    await turn.result;
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: session.state.n }, (_, index) => index + 1));
  });
});

describe("a prompt that only fits one place", () => {
  test("is taken right after its turn and refused once the conversation has gone on or back", async () => {
    await using host = await hostWith(scriptedModel());
    const session = await host.open();
    const { turnId } = await session.submit({ text: "one" }).result;
    const second = await session.submit({ text: "two", onlyAfter: turnId }).result;
    expect(second.outcome).toBe("completed");
    const late = session.submit({ text: "three", onlyAfter: turnId });
    await expect(late.accepted).rejects.toMatchObject({ code: "session_busy" });
    await session.undo();
    const gone = session.submit({ text: "three", onlyAfter: second.turnId });
    await expect(gone.accepted).rejects.toMatchObject({ code: "session_busy" });
  });

  test("finds a branch at the turn it is for", async () => {
    const model = scriptedModel();
    await using host = await hostWith(model);
    const session = await host.open();
    await session.submit({ text: "one" }).result;
    const at = session.state.lastTurn?.to ?? 0;
    await session.submit({ text: "two" }).result;
    const branch = await host.branch(session.id, { at, hidden: true });
    await branch.submit({ text: "other" }).result;
    expect(model.seen.at(-1)).toEqual(["one", "other"]);
    expect(branch.state).toMatchObject({ hidden: true, parentId: session.id });
    await expect(host.branch(session.id, { at: at - 1 })).rejects.toMatchObject({
      code: "nothing_to_branch",
    });
  });
});

test("one prompt can be stopped wherever it is", async () => {
  const hold = gate();
  await using host = await hostWith(scriptedModel([wait(hold)]));
  const session = await host.open();
  const first = session.submit({ text: "one", id: "first" });
  await first.accepted;
  const second = session.submit({ text: "two", id: "second" });
  await second.accepted;
  await session.stop("second");
  expect((await second.result).outcome).toBe("cancelled");
  await session.stop("nobody");
  expect(session.state.turn?.prompt.id).toBe("first");
  await session.stop("first");
  expect((await first.result).outcome).toBe("cancelled");
  await session.stop("first");
});

test("a title can be taken away", async () => {
  await using host = await hostWith(scriptedModel());
  const session = await host.open({ title: "Named" });
  await session.clearTitle();
  expect(session.state).toMatchObject({ title: "", titleBy: "none" });
  await host.open({ title: "Named" });
});
