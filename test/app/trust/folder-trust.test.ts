import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FolderTrust } from "../../../src/app/trust/folder-trust.ts";

function stage() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "trust-")));
  const at = (path: string): string => join(dir, path);
  for (const path of ["home", "a/b/c", "x"]) mkdirSync(at(path), { recursive: true });
  const trust = new FolderTrust(at("home"));
  return {
    at,
    trust,
    decide: (path: string, trusted: boolean) => trust.decide(at(path), { trusted, now: 1 }),
    trusted: (path: string) => trust.decisionAbout(at(path))?.trusted,
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  };
}

describe("trust in a folder", () => {
  test("covers what is in it, and nothing beside or above it", async () => {
    using s = stage();
    expect(s.trusted("a/b")).toBeUndefined();
    await s.decide("a/b", true);
    expect(["a", "a/b", "a/b/c", "x"].map(s.trusted)).toEqual([undefined, true, true, undefined]);
    mkdirSync(s.at("a/bb"));
    expect(s.trusted("a/bb")).toBeUndefined();
    await s.decide("a/b/c", false);
    expect(["a/b", "a/b/c"].map(s.trusted)).toEqual([true, false]);
  });

  test("follows no link that leads elsewhere by now", async () => {
    using s = stage();
    symlinkSync(s.at("a/b"), s.at("link"));
    await s.decide("link", true);
    expect(s.trust.list().map(({ path }) => path)).toEqual([s.at("a/b")]);
    expect(s.trusted("link")).toBe(true);
    rmSync(s.at("link"));
    symlinkSync(s.at("x"), s.at("link"));
    expect(s.trusted("link")).toBeUndefined();
    symlinkSync(s.at("x"), s.at("a/b/inside"));
    expect(s.trusted("a/b/inside"), "a link out of a trusted folder").toBeUndefined();
    renameSync(s.at("a/b"), s.at("a/moved"));
    expect(s.trusted("a/moved")).toBeUndefined();
    expect(s.trusted("a/b"), "a folder that is gone").toBeUndefined();
  });

  test("is kept for other processes, for the owner's eyes alone, and can be forgotten", async () => {
    using s = stage();
    const other = new FolderTrust(s.at("home"));
    expect(other.decisionAbout(s.at("a"))).toBeUndefined();
    await Promise.all([s.decide("a", true), other.decide(s.at("x"), { trusted: false, now: 1 })]);
    expect(new FolderTrust(s.at("home")).list()).toHaveLength(2);
    const file = s.at("home/trusted-folders.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await s.trust.forget(s.at("a"))).toBe(s.at("a"));
    expect(readFileSync(file, "utf8")).not.toContain(`"${s.at("a")}"`);
    await expect(s.trust.forget(s.at("a"))).rejects.toThrow("no decision");
    await expect(s.decide("nowhere", true)).rejects.toThrow("There is no folder");
  });

  test("is nobody's when its file is broken: that is said, and nothing is trusted", async () => {
    using s = stage();
    await s.decide("a", true);
    writeFileSync(s.at("home/trusted-folders.json"), "{broken");
    expect(() => new FolderTrust(s.at("home")).decisionAbout(s.at("a"))).toThrow("Remove it");
  });
});
