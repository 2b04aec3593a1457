import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { homeDrafts } from "../../../src/cli/tui/home-drafts.ts";
import { homeHistory } from "../../../src/cli/tui/home-history.ts";
import { EMPTY_EDITOR, insert, paste } from "../../../src/tui/input/text-editor.ts";
import { type Written, withoutPastes } from "../../../src/tui/input/written.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agent-drafts-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const alive = new Set<number>();
beforeEach(() => alive.clear());

/** A window whose process lives until `alive` says otherwise. */
function open(pid: number, cwd = "/work") {
  alive.add(pid);
  const kill = (asked: number): void => {
    if (!alive.has(asked)) throw Object.assign(new Error("no such process"), { code: "ESRCH" });
  };
  const machine = { platform: "linux", pid, execPath: "", argv: [], env: {}, kill };
  return homeDrafts(home, { pid, cwd, machine });
}

const files = (): readonly string[] => readdirSync(join(home, "tui", "drafts"));

/** A text with a chip. */
function withPaste(): Written {
  const editor = paste(
    insert(EMPTY_EDITOR, "look: "),
    Array.from({ length: 40 }, (_, row) => `row ${row}`).join("\n"),
  );
  return { text: editor.text, pastes: editor.pastes };
}

describe("a draft", () => {
  test("is its window's own while that lives, and has its pastes when another takes it over", () => {
    open(1).saveDraft(withPaste(), undefined);
    const second = open(2);
    expect(second.takeDraft(undefined)).toBeUndefined();
    second.saveDraft(withoutPastes("mine"), undefined);
    second.saveDraft(withoutPastes(""), undefined);
    alive.delete(1);
    const third = open(3);
    expect(third.takeDraft(undefined)).toEqual(withPaste());
    expect(open(4).takeDraft(undefined)).toBeUndefined();
    third.saveDraft(withoutPastes(""), undefined);
    alive.delete(3);
    expect(open(5).takeDraft(undefined)).toBeUndefined();
  });

  test("is of its session, and before that has begun of its folder", () => {
    open(1).saveDraft(withoutPastes("of a session"), "s1");
    open(2).saveDraft(withoutPastes("of a folder"), undefined);
    alive.clear();
    expect(open(3).takeDraft("s2")).toBeUndefined();
    expect(open(4, "/elsewhere").takeDraft(undefined)).toBeUndefined();
    expect(open(5).takeDraft(undefined)?.text).toBe("of a folder");
    expect(open(6, "/elsewhere").takeDraft("s1")?.text).toBe("of a session");
  });

  test("two windows of a session keep one each", () => {
    const windows = [open(1), open(2)];
    for (const [index, window] of windows.entries()) window.saveDraft(withoutPastes(`draft ${index}`), "s1");
    alive.clear();
    const taken = [open(3).takeDraft("s1"), open(4).takeDraft("s1"), open(5).takeDraft("s1")];
    expect(new Set(taken.map((each) => each?.text))).toEqual(new Set(["draft 0", "draft 1", undefined]));
  });

  test("is there for others when its window has ended and its process goes on, or has another's number", () => {
    const first = open(1);
    first.saveDraft(withoutPastes("left"), "s1");
    first.release();
    expect(open(2).takeDraft("s1")?.text).toBe("left");
    expect(open(2).takeDraft("s1")?.text).toBe("left");
  });

  test("of a version before is taken once", () => {
    mkdirSync(join(home, "tui"));
    writeFileSync(join(home, "tui", "draft.txt"), "old [Pasted #1: 40 lines]");
    expect(open(1).takeDraft(undefined)).toEqual(withoutPastes("old [Pasted #1: 40 lines]"));
    expect(open(2).takeDraft(undefined)).toBeUndefined();
    expect(readdirSync(join(home, "tui"))).toEqual(["drafts"]);
  });

  test("that nobody takes does not stay for ever, and half a one is none", () => {
    for (let pid = 1; pid <= 70; pid += 1) open(pid).saveDraft(withoutPastes(`draft ${pid}`), "s1");
    open(71).saveDraft(withoutPastes("alive"), "s1");
    writeFileSync(join(home, "tui", "drafts", "1-0123.new"), "{");
    writeFileSync(join(home, "tui", "drafts", "1-4567.json"), "{");
    const months = new Date(Date.now() - 40 * 24 * 3_600_000);
    for (const name of files().filter((each) => each.startsWith("70-") || each.endsWith(".new")))
      utimesSync(join(home, "tui", "drafts", name), months, months);
    alive.clear();
    alive.add(71);
    expect(open(72).takeDraft("s2")).toBeUndefined();
    expect(files()).toHaveLength(51);
    expect(files().some((name) => name.startsWith("71-"))).toBe(true);
    expect(files().some((name) => name.startsWith("70-") || name.endsWith(".new"))).toBe(false);
  });
});

describe("the history", () => {
  test("has what was pasted, and reads lines of a version before", async () => {
    mkdirSync(join(home, "tui"));
    const file = join(home, "tui", "history.jsonl");
    writeFileSync(file, '"before"\n"a [Pasted #1: 40 lines]"\n{"half');
    writeFileSync(file, "\n", { flag: "a" });
    await homeHistory(home).remember(withPaste());
    expect(await homeHistory(home).history()).toEqual([
      withoutPastes("before"),
      withoutPastes("a [Pasted #1: 40 lines]"),
      withPaste(),
    ]);
  });

  test("forgets the oldest when the pastes are large together, never the newest", async () => {
    const { remember, history } = homeHistory(home);
    const large = (sign: string): Written => ({
      text: `${sign} [Pasted #1: 7000000 characters]`,
      pastes: new Map([["[Pasted #1: 7000000 characters]", sign.repeat(7_000_000)]]),
    });
    for (const sign of ["a", "b", "c"]) await remember(large(sign));
    expect((await history()).map(({ text }) => text[0])).toEqual(["c"]);
    expect(readFileSync(join(home, "tui", "history.jsonl"), "utf8").split("\n")).toHaveLength(2);
  });
});
