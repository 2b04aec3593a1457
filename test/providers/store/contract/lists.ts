import { expect, test } from "vitest";
import type { DurableEvent } from "../../../../src/core/events/events.ts";
import { NO_USAGE } from "../../../../src/core/events/usage.ts";
import type { ListQuery } from "../../../../src/core/ports/session-list.ts";
import type { Store } from "../../../../src/core/ports/store.ts";
import { type LogPen, logPen, prompt, sessionStart, titleSet, turnStart } from "../../../kit/log-pen.ts";
import type { OpenHome } from "./home.ts";
import { found } from "./search.ts";

type Start = Parameters<typeof sessionStart>[0] & { readonly said?: string; readonly titled?: boolean };

export function listContract(openHome: OpenHome): void {
  let time = 0;
  const make = async (
    store: Store,
    id: string,
    { said, titled = true, ...start }: Start = {},
  ): Promise<LogPen> => {
    const pen = logPen(() => (time += 1));
    const title = titled ? [titleSet(`Title of ${id}`)] : [];
    const turn = said === undefined ? [] : [turnStart(said)];
    await store.create(id, pen.rows([sessionStart(start), ...title, ...turn]), pen.state);
    return pen;
  };
  const ids = async (store: Store, query: Partial<ListQuery> = {}): Promise<readonly string[]> =>
    (await store.list({ limit: 100, offset: 0, ...query })).map(({ id }) => id);

  test("lists are chosen by state and by who wrote, and go on below a session that has moved", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const a = await make(store, "a", { said: "hi" });
    const b = await make(store, "b", { said: "hi" });
    const c = await make(store, "c", { said: "hi" });
    await make(store, "d", { said: "hi" });
    expect(await ids(store, { doing: "working" })).toEqual(["d", "c", "b", "a"]);
    const end = (error?: "budget_exceeded"): DurableEvent => ({
      type: "turn.end",
      turnId: "turn-1",
      outcome: error === undefined ? "completed" : "failed",
      usage: NO_USAGE,
      ...(error === undefined ? {} : { error: { code: error, message: "used up" } }),
    });
    await store.append(b.append("b", [end("budget_exceeded")], { release: true }));
    await store.append(c.append("c", [end()], { release: true }));
    expect(await ids(store, { doing: "parked" })).toEqual(["b"]);
    expect(await ids(store, { doing: "working" })).toEqual(["d", "a"]);
    expect(await ids(store, { person: "test" })).toHaveLength(4);
    expect(await ids(store, { person: "tes" })).toEqual([]);
    const [first, second] = await store.list({ limit: 2, offset: 0 });
    const below = { activeAt: second?.state.activeAt ?? 0, id: second?.id ?? "" };
    const rest = await ids(store, { below });
    expect(new Set([first?.id, second?.id, ...rest])).toEqual(new Set(["a", "b", "c", "d"]));
    await store.append(a.append("a", [turnStart("again", "turn-2")]));
    expect(await ids(store, { below })).toEqual(rest.filter((id) => id !== "a"));
  });

  test("what is a user's is theirs by the store's own question: by id, in lists, in searches and by blob", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const hers = await make(store, "hers", { said: "a pear", user: "u_1" });
    await make(store, "his", { said: "a pear", user: "u_2" });
    const open = await make(store, "open", { said: "a pear" });
    const foundBy = async (user: string) =>
      (await found(store, "pear", { user })).map(({ session }) => session.id);
    expect(await ids(store, { user: "u_1" })).toEqual(["hers"]);
    expect(await ids(store, { user: "" })).toEqual([]);
    expect(await foundBy("u_2")).toEqual(["his"]);
    expect(await foundBy("u_3")).toEqual([]);
    const theirs = async (id: string, user: string) => (await store.record(id, { user }))?.id;
    expect(await theirs("hers", "u_1")).toBe("hers");
    for (const [id, user] of [
      ["hers", "u_2"],
      ["open", "u_1"],
      ["open", ""],
      ["none", "u_1"],
    ] as const)
      expect(await theirs(id, user)).toBeUndefined();
    const { hash } = await store.putBlob(new Uint8Array([1, 2, 3]));
    await store.append(hers.append("hers", [titleSet("with a picture")], { blobs: [hash] }));
    expect([await store.namesBlob(hash, "u_1"), await store.namesBlob(hash, "u_2")]).toEqual([true, false]);
    // A session of nobody is given away once, and for good.
    await store.append(open.append("open", [{ type: "user.set", user: "u_2" }]));
    await store.append(open.append("open", [{ type: "user.set", user: "u_1" }]));
    expect(await ids(store, { user: "u_2" })).toEqual(["open", "his"]);
    expect(await theirs("open", "u_1")).toBeUndefined();
    await store.remove("hers");
    expect(await store.namesBlob(hash, "u_1")).toBe(false);
  });

  test("lists show the newest activity first, page by page", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const a = await make(store, "a", { said: "hi" });
    await make(store, "b", { said: "hi" });
    await make(store, "c", { said: "hi" });
    expect(await ids(store)).toEqual(["c", "b", "a"]);
    await store.append(a.append("a", [turnStart("again", "turn-2")]));
    expect(await ids(store)).toEqual(["a", "c", "b"]);
    // A new title is no activity.
    const b = await make(store, "d", { said: "hi" });
    expect(await ids(store)).toEqual(["d", "a", "c", "b"]);
    await store.append(b.append("d", [titleSet("Renamed")]));
    expect(await ids(store, { limit: 2 })).toEqual(["d", "a"]);
    expect(await ids(store, { limit: 2, offset: 1 })).toEqual(["a", "c"]);
    expect(await ids(store, { limit: 2, offset: 4 })).toEqual([]);
  });

  test("archived sessions are in no list but those that ask for them", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    await make(store, "plain", { said: "hi" });
    const kept = await make(store, "kept", { said: "hi" });
    const archive = (archived: boolean) =>
      store.append(kept.append("kept", [{ type: "settings.set", patch: { archived } }], { release: true }));
    await archive(true);
    expect(await ids(store)).toEqual(["plain"]);
    expect(await ids(store, { includeEmpty: true, includeChildren: true, includeHidden: true })).toEqual([
      "plain",
    ]);
    expect(await ids(store, { archived: "include" })).toEqual(["kept", "plain"]);
    expect(await ids(store, { archived: "only" })).toEqual(["kept"]);
    await archive(false);
    expect(await ids(store)).toEqual(["kept", "plain"]);
    expect(await ids(store, { archived: "only" })).toEqual([]);
  });

  test("a list can be of the sessions in which nothing has happened for a while", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    await make(store, "old", { said: "hi" });
    const between = time + 1;
    await make(store, "new", { said: "hi" });
    expect(await ids(store, { activeBefore: between })).toEqual(["old"]);
    expect(await ids(store, { activeBefore: time + 1, source: "test" })).toEqual(["new", "old"]);
    expect(await ids(store, { activeBefore: 1 })).toEqual([]);
  });

  test("a list can be of the sessions with a prompt that could run and does not", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    await make(store, "quiet", { said: "hi" });
    const pen = await make(store, "busy");
    const left = prompt("left");
    const tell = (events: readonly DurableEvent[]) =>
      store.append(pen.append("busy", events, { release: true }));
    const waiting = () => ids(store, { waiting: true, includeEmpty: true });
    expect(await waiting()).toEqual([]);
    await tell([{ type: "prompt.queued", prompt: left }]);
    expect(await waiting()).toEqual(["busy"]);
    await tell([{ type: "prompt.held", promptIds: [left.id] }]);
    expect(await waiting()).toEqual([]);
    await tell([{ type: "prompt.confirmed", promptIds: [left.id] }]);
    expect(await waiting()).toEqual(["busy"]);
    await tell([{ type: "turn.start", turnId: "t", prompt: left }]);
    expect(await waiting()).toEqual([]);
  });

  test("a list can be of the sessions in which a question is open", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    await make(store, "quiet", { said: "hi" });
    const pen = await make(store, "busy");
    const tell = (events: readonly DurableEvent[]) =>
      store.append(pen.append("busy", events, { release: true }));
    const asking = () => ids(store, { doing: "asking", includeEmpty: true });
    await tell([{ type: "turn.start", turnId: "t", prompt: prompt("go") }]);
    expect(await asking()).toEqual([]);
    const question = { requestId: "q", turnId: "t", callId: "c", timeoutMs: 1, beforeEffect: true } as const;
    await tell([{ type: "clarify.request", ...question, question: "Which?", choices: [] }]);
    expect(await asking()).toEqual(["busy"]);
    // Some are driven by nobody: the process that asked has left.
    const free = () => ids(store, { unowned: true });
    expect(await free()).toEqual(["busy", "quiet"]);
    const driven = await store.append(pen.append("busy", []));
    expect([await asking(), await free()]).toEqual([["busy"], ["quiet"]]);
    const fence = driven.status === "ok" ? driven.fence : undefined;
    await store.append(pen.append("busy", [], { fence, release: true }));
    expect(await free()).toEqual(["busy", "quiet"]);
    const resolution = { outcome: "expired" } as const;
    await tell([{ type: "clarify.resolved", requestId: "q", turnId: "t", callId: "c", resolution }]);
    expect(await asking()).toEqual([]);
  });

  test("lists leave out what nobody asked for, unless it is asked for", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    await make(store, "plain", { said: "hi" });
    await make(store, "child", { parentId: "plain", said: "hi" });
    await make(store, "hidden", { hidden: true, said: "hi" });
    const empty = await make(store, "empty", { titled: false });
    await make(store, "all", { hidden: true, parentId: "plain" });
    expect(await ids(store)).toEqual(["plain"]);
    expect(await ids(store, { includeChildren: true })).toEqual(["child", "plain"]);
    expect(await ids(store, { includeHidden: true })).toEqual(["hidden", "plain"]);
    expect(await ids(store, { includeEmpty: true })).toEqual(["empty", "plain"]);
    const everything = { includeChildren: true, includeEmpty: true, includeHidden: true };
    expect(await ids(store, everything)).toEqual(["all", "empty", "hidden", "child", "plain"]);
    // A prompt that waits is a prompt.
    await store.append(empty.append("empty", [{ type: "prompt.queued", prompt: prompt("later") }]));
    expect(await ids(store)).toEqual(["empty", "plain"]);
    // A person who gives a session a title means to come back to it.
    await make(store, "named");
    expect(await ids(store)).toEqual(["named", "empty", "plain"]);
  });

  test("a subagent's session stays one as it goes on", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await make(store, "child", { parentId: "someone" });
    await store.append(pen.append("child", [turnStart("work")]));
    expect(await ids(store)).toEqual([]);
    expect(await ids(store, { includeChildren: true })).toEqual(["child"]);
  });

  test("lists can be narrowed", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    await make(store, "a", {
      source: "vscode",
      platform: "acp",
      cwd: "/one",
      said: "Fix the Größe of things",
    });
    await make(store, "b", { source: "vscode", platform: "acp", cwd: "/two", said: "100% of_it" });
    await make(store, "c", { source: "shell", platform: "cli", cwd: "/one", said: "Другое дело" });
    expect(await ids(store, { source: "vscode" })).toEqual(["b", "a"]);
    expect(await ids(store, { platform: "cli" })).toEqual(["c"]);
    expect(await ids(store, { cwd: "/one" })).toEqual(["c", "a"]);
    expect(await ids(store, { cwd: "/one", source: "vscode" })).toEqual(["a"]);
    expect(await ids(store, { title: "Title of b" })).toEqual(["b"]);
    expect(await ids(store, { title: "title of b" })).toEqual([]);
    expect(await ids(store, { search: "TITLE OF" })).toEqual(["c", "b", "a"]);
    expect(await ids(store, { search: "GRÖSSE" })).toEqual([]);
    expect(await ids(store, { search: "gRÖßE" })).toEqual(["a"]);
    expect(await ids(store, { search: "gro\u0308ße" })).toEqual(["a"]);
    expect(await ids(store, { search: "ДРУГОЕ" })).toEqual(["c"]);
    expect(await ids(store, { search: "%" })).toEqual(["b"]);
    expect(await ids(store, { search: "of_it" })).toEqual(["b"]);
    expect(await ids(store, { search: "nothing like that" })).toEqual([]);
  });
}
