import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command, edit, lookFirst, makePlace, nextCursor, type Place, treeOf } from "./engine-kit.ts";

const restore = (place: Place, after: number, more: object = {}) =>
  place.engine.restore({ session: "s", after: after - 1, cursor: nextCursor(), label: "rewind", ...more });

test("a command's changes of every kind go back: contents, modes, links, folders, kinds, names that are no text", () => {
  using place = makePlace();
  const { root } = place;
  const odd = Buffer.concat([Buffer.from(`${root}/odd-`), Buffer.from([0xff, 0xfe])]);
  writeFileSync(join(root, "a.txt"), "one\n");
  writeFileSync(join(root, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(odd, "bytes");
  symlinkSync("a.txt", join(root, "link"));
  mkdirSync(join(root, "empty"), { mode: 0o750 });
  mkdirSync(join(root, "folder/below"), { recursive: true });
  writeFileSync(join(root, "folder/below/b.txt"), "two\n");
  lookFirst(place.engine, root);
  const before = treeOf(root);
  const at = command(place, { turn: "t1" }, () => {
    writeFileSync(join(root, "a.txt"), "changed\n");
    chmodSync(join(root, "run.sh"), 0o644);
    rmSync(odd);
    rmSync(join(root, "link"));
    writeFileSync(join(root, "link"), "a file now");
    rmSync(join(root, "empty"), { recursive: true });
    rmSync(join(root, "folder"), { recursive: true });
    writeFileSync(join(root, "folder"), "no folder any more");
    mkdirSync(join(root, "new/deep"), { recursive: true });
    writeFileSync(join(root, "new/deep/c.txt"), "three\n");
    symlinkSync("/etc", join(root, "new/etc"));
  });
  const changed = treeOf(root);
  const end = restore(place, at);
  expect(end.conflicts).toEqual([]);
  expect(end.failed).toEqual([]);
  expect(treeOf(root)).toEqual(before);
  const rewound = place.engine.restore({
    session: "s",
    after: at,
    cursor: nextCursor(),
    label: "again",
  });
  expect(rewound.conflicts).toEqual([]);
  expect(treeOf(root)).toEqual(changed);
});

test("what somebody else changed is left alone and named, and goes back when it is asked for", () => {
  using place = makePlace();
  const { root } = place;
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), `${name}\n`);
  lookFirst(place.engine, root);
  const at = command(place, { turn: "t1" }, () => {
    for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), `${name} by the agent\n`);
  });
  writeFileSync(join(root, "b"), "mine\n");
  command(place, { turn: "t2" }, () => undefined);
  writeFileSync(join(root, "c"), "mine too\n");
  edit(place, { turn: "t3", paths: ["c"] }, () => writeFileSync(join(root, "c"), "the agent again\n"));
  const end = restore(place, at);
  expect(end.restored).toEqual([join(root, "a")]);
  expect(end.conflicts).toEqual([
    { path: join(root, "b"), reason: "it was changed since by somebody else" },
    { path: join(root, "c"), reason: "somebody else changed it in between" },
  ]);
  expect(readFileSync(join(root, "b"), "utf8")).toBe("mine\n");
  expect(restore(place, at, { paths: [join(root, "b")] }).restored).toEqual([join(root, "b")]);
  expect(readFileSync(join(root, "b"), "utf8")).toBe("b\n");
  expect(restore(place, at, { force: true }).restored).toEqual([join(root, "c")]);
  expect(readFileSync(join(root, "c"), "utf8")).toBe("c\n");
});

test("an unchanged size and time do not hide a change", () => {
  using place = makePlace();
  const { root } = place;
  const file = join(root, "a");
  writeFileSync(file, "aaaa");
  utimesSync(file, 1000, 1000);
  lookFirst(place.engine, root);
  const at = command(place, { turn: "t1" }, () => {
    writeFileSync(file, "bbbb");
    utimesSync(file, 1000, 1000);
  });
  expect(restore(place, at).restored).toEqual([file]);
  expect(readFileSync(file, "utf8")).toBe("aaaa");
});

test("ignored files, version control and large files are left out and named", async () => {
  using place = makePlace();
  const { root } = place;
  execFileSync("git", ["init", "-q"], { cwd: root });
  writeFileSync(join(root, ".gitignore"), "dist/\n*.log\n");
  mkdirSync(join(root, "dist"));
  writeFileSync(join(root, "dist/out.js"), "built");
  writeFileSync(join(root, "x.log"), "log");
  writeFileSync(join(root, "big"), "");
  truncateSync(join(root, "big"), 21 * 1024 * 1024);
  lookFirst(place.engine, root);
  const at = command(place, { turn: "t1" }, () => {
    writeFileSync(join(root, "dist/out.js"), "built again");
    writeFileSync(join(root, "x.log"), "more log");
    writeFileSync(join(root, "big"), "small now");
    writeFileSync(join(root, ".git/description"), "changed");
    writeFileSync(join(root, "a"), "new");
  });
  const [turn] = await place.engine.turns("s");
  expect(turn?.files.map(({ path, change, notKept }) => [path, change, notKept])).toEqual([
    [join(root, "a"), "added", undefined],
    [join(root, "big"), "changed", "it is larger than 20 MB"],
  ]);
  expect(turn?.notes.join("\n")).toContain(".git, dist, x.log");
  const end = restore(place, at);
  expect(end.restored).toEqual([join(root, "a")]);
  expect(end.failed).toEqual([
    { path: join(root, "big"), reason: "what it was before is not kept: it is larger than 20 MB" },
  ]);
  expect(readFileSync(join(root, "dist/out.js"), "utf8")).toBe("built again");
});

test("files that a new ignore rule shows or hides are no changes, and none of them is deleted", async () => {
  using place = makePlace();
  const { root } = place;
  writeFileSync(join(root, ".gitignore"), "secret\n");
  writeFileSync(join(root, "secret"), "old");
  writeFileSync(join(root, "shown"), "old");
  lookFirst(place.engine, root);
  const at = command(place, { turn: "t1" }, () => writeFileSync(join(root, ".gitignore"), "shown\n"));
  const [turn] = await place.engine.turns("s");
  expect(turn?.files.map(({ path }) => path)).toEqual([join(root, ".gitignore")]);
  restore(place, at);
  expect(treeOf(root)).toMatchObject({ secret: expect.stringContaining("old") as string });
  expect(readFileSync(join(root, "shown"), "utf8")).toBe("old");
});

test("a link that leads out of the workspace is neither read nor written through", () => {
  using place = makePlace();
  const { root, top } = place;
  mkdirSync(join(top, "outside"));
  writeFileSync(join(top, "outside/f"), "theirs");
  mkdirSync(join(root, "d"));
  writeFileSync(join(root, "d/f"), "ours");
  lookFirst(place.engine, root);
  const at = command(place, { turn: "t1" }, () => {
    writeFileSync(join(root, "d/f"), "changed");
  });
  renameSync(join(root, "d"), join(root, "moved"));
  symlinkSync(join(top, "outside"), join(root, "d"));
  const end = restore(place, at, { force: true });
  expect(readFileSync(join(top, "outside/f"), "utf8")).toBe("theirs");
  expect(treeOf(join(top, "outside"))).toEqual({ f: expect.stringContaining("theirs") as string });
  expect(end.restored).toEqual([]);
  expect(end.failed.map(({ path }) => path)).toEqual([join(root, "d/f")]);
});

test("the changes of two sessions at once are kept apart where they can be told apart", () => {
  using place = makePlace();
  const { root } = place;
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), "old");
  lookFirst(place.engine, root);
  const plan = { roots: [root], label: "", cursor: nextCursor() };
  const first = place.engine.before({ ...plan, session: "s", turnId: "t1" }, []);
  edit(place, { session: "other", turn: "o1", paths: ["b"] }, () => writeFileSync(join(root, "b"), "theirs"));
  writeFileSync(join(root, "a"), "ours");
  place.engine.after(first, false);
  const end = place.engine.restore({ session: "s", after: plan.cursor - 1, cursor: nextCursor(), label: "" });
  expect(end.restored).toEqual([join(root, "a")]);
  expect(end.conflicts).toEqual([]);
  expect(readFileSync(join(root, "b"), "utf8")).toBe("theirs");
});

test("what two commands of two sessions changed at the same time is nobody's for certain", () => {
  using place = makePlace();
  const other = place.another();
  const { root } = place;
  writeFileSync(join(root, "a"), "old");
  lookFirst(place.engine, root);
  lookFirst(other, root);
  const plan = { roots: [root], label: "", cursor: nextCursor() };
  const first = place.engine.before({ ...plan, session: "s", turnId: "t1" }, []);
  const second = other.before({ ...plan, session: "other", turnId: "o1" }, []);
  writeFileSync(join(root, "a"), "whose?");
  place.engine.after(first, false);
  other.after(second, false);
  for (const [engine, session] of [
    [place.engine, "s"],
    [other, "other"],
  ] as const) {
    const end = engine.restore({ session, after: plan.cursor - 1, cursor: nextCursor(), label: "" });
    expect(end.restored).toEqual([]);
    expect(end.conflicts.map(({ path }) => path)).toEqual([join(root, "a")]);
  }
});

test("what a process in the background changes is kept, and left alone unless it is asked for", () => {
  using place = makePlace();
  const { root } = place;
  writeFileSync(join(root, "a"), "old");
  lookFirst(place.engine, root);
  const cursor = nextCursor();
  const plan = { session: "s", turnId: "t1", cursor, roots: [root], label: "server" };
  place.engine.after(place.engine.before(plan, []), true);
  writeFileSync(join(root, "a"), "by the server, or by a person");
  place.engine.after(place.engine.before({ ...plan, label: "ls" }, ["s"]), false);
  const wish = { session: "s", after: cursor - 1, cursor: nextCursor(), label: "" };
  expect(place.engine.restore(wish).conflicts.map(({ path }) => path)).toEqual([join(root, "a")]);
  expect(place.engine.restore({ ...wish, force: true }).restored).toEqual([join(root, "a")]);
  expect(readFileSync(join(root, "a"), "utf8")).toBe("old");
});

test("beyond the cap the oldest turns go first, and are listed as gone", async () => {
  using place = makePlace({ maxBytes: 300_000 });
  const { root } = place;
  const file = join(root, "a");
  const noise = (): string =>
    Buffer.from(Array.from({ length: 60_000 }, () => Math.random() * 256)).toString("latin1");
  writeFileSync(file, noise());
  lookFirst(place.engine, root);
  const cursors = Array.from({ length: 8 }, (_, turn) =>
    command(place, { turn: `t${turn}` }, () => writeFileSync(file, noise(), "latin1")),
  );
  const turns = await place.engine.turns("s");
  const gone = turns.filter(({ dropped }) => dropped).map(({ turnId }) => turnId);
  expect(gone.length).toBeGreaterThan(2);
  expect(gone).toEqual(turns.slice(0, gone.length).map(({ turnId }) => turnId));
  expect(place.engine.stored).toBeLessThanOrEqual(300_000);
  const last = restore(place, cursors.at(-1) ?? 0);
  expect(last.restored).toEqual([file]);
});

test("a session that is forgotten leaves nothing behind but its workspace as it is", async () => {
  using place = makePlace();
  const { root } = place;
  writeFileSync(join(root, "a"), "x".repeat(1000));
  lookFirst(place.engine, root);
  command(place, { turn: "t1" }, () => writeFileSync(join(root, "a"), "y"));
  place.engine.forget("s");
  expect(await place.engine.turns("s")).toEqual([]);
  expect(restore(place, 0).restored).toEqual([]);
});
