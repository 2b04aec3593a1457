import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openKb } from "../../../src/providers/kb/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { timesOr } from "../../kit/counts.ts";
import { books } from "./manuals.ts";

const PIECES = timesOr(100_000, 1000);

test("pieces of real manuals of all kinds are found, each answer names its document and heading, and deletion holds at once", async () => {
  const home = mkdtempSync(join(tmpdir(), "agent-kb-"));
  try {
    await using kb = openKb({ home, clock: systemClock });
    await using other = openKb({ home, clock: systemClock });
    const { signal } = new AbortController();
    const kinds = new Set<string>();
    let pieces = 0;
    for (const { name, bytes } of books(timesOr(300_000, 100_000))) {
      const kind = name.split(".").at(-1) ?? "";
      const added = await kb.add({ collection: kind, name, origin: `upload:${name}`, bytes }, signal);
      expect(added).toMatchObject({ outcome: "read" });
      kinds.add(kind);
      pieces += added.pieces ?? 0;
      if (pieces >= PIECES && kinds.size === 5) break;
    }
    expect(pieces).toBeGreaterThanOrEqual(PIECES);
    for (const collection of ["md", "html", "docx"]) {
      const found = await kb.search({
        words: "how is a file or a package named",
        limit: 10,
        collections: [collection],
      });
      expect(found.length).toBeGreaterThan(5);
      expect(found.filter(({ title }) => title === "")).toEqual([]);
      expect(found.some(({ heading }) => heading !== "")).toBe(true);
    }
    const all = await kb.documents();
    const searching = Promise.all(
      Array.from({ length: 20 }, () => kb.search({ words: "package file", limit: 10 })),
    );
    await other.remove(all.filter(({ collection }) => collection !== "pdf").map(({ id }) => id));
    const after = await kb.search({ words: "package file", limit: 10 });
    expect(new Set(after.map(({ collection }) => collection))).toEqual(new Set(["pdf"]));
    await searching;
  } finally {
    rmSync(home, { recursive: true });
  }
});
