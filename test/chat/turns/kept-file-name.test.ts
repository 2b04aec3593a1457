import { expect, test } from "vitest";
import { keptFileName } from "../../../src/chat/turns/kept-file-name.ts";

const ID = { id: "telegram-0123456789abcdef0123" };
const named = (given: string, taken: readonly string[] = []): string =>
  keptFileName(ID, given, new Set(taken));

test("a name keeps its letters, and nothing that leads elsewhere or hides", () => {
  expect(named("report.pdf")).toBe("0123456789-report.pdf");
  expect(named("../../etc/passwd")).toBe("0123456789-etc_passwd");
  expect(named("..\\..\\CON")).toBe("0123456789-CON");
  expect(named(".env")).toBe("0123456789-env");
  expect(named("a\u0000b\nc\u202e.t xt")).toBe("0123456789-a_b_c_.t_xt");
  expect(named("re\u0301sumé (2).md")).toBe("0123456789-résumé_2_.md");
  for (const nothing of ["", ".", "..", "///", "\u200b"]) expect(named(nothing)).toBe("0123456789-file");
});

test("a long name is cut between characters, and keeps its ending", () => {
  for (const letter of ["a", "é", "語", "𝒳"]) {
    const name = named(`${letter.repeat(300)}.tar.gz`);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
    expect(name).toMatch(/\.gz$/);
    expect(name.isWellFormed()).toBe(true);
  }
  expect(Buffer.byteLength(named(`a.${"b".repeat(300)}`))).toBeLessThanOrEqual(120);
});

test("files of one name in one message have names of their own, the same each time", () => {
  const first = named("a.txt");
  const second = named("a.txt", [first]);
  expect([second, named("a.txt", [first, second])]).toEqual(["0123456789-2-a.txt", "0123456789-3-a.txt"]);
});
