import fc from "fast-check";
import { expect, test } from "vitest";
import type { StoredRow } from "../../../../src/core/ports/stored-row.ts";
import { times } from "../../../kit/counts.ts";
import { logPen, sessionStart, titleSet } from "../../../kit/log-pen.ts";
import type { OpenHome } from "./home.ts";

/** The page after a cursor: it does not end inside a reply. */
function pageAfter(rows: readonly StoredRow[], after: number, limit: number): readonly StoredRow[] {
  const rest = rows.filter(({ seq }) => seq > after);
  let end = Math.min(limit, rest.length);
  while (end < rest.length && rest[end - 1]?.mid === true) end += 1;
  return rest.slice(0, end);
}

const LINE = fc.record({
  title: fc.oneof(fc.string({ unit: "grapheme", maxLength: 40 }), fc.constant('a "quoted"\nline \\ \0 ü 😀')),
  mid: fc.boolean(),
  gap: fc.nat(5),
});

export function pageContract(openHome: OpenHome): void {
  test("long pages and short ones have the same rows, from every place and in both directions", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    let count = 0;
    const logs = fc.array(LINE, { minLength: 15, maxLength: 60 });
    const look = fc.record({ from: fc.nat(70), limit: fc.integer({ min: 1, max: 70 }) });
    const property = fc.asyncProperty(logs, fc.array(look, { maxLength: 10 }), async (lines, looks) => {
      const id = `log${(count += 1)}`;
      const pen = logPen();
      const rows = [
        ...pen.rows([sessionStart()]),
        ...lines.flatMap(({ title, mid, gap }, index) =>
          pen.rows([titleSet(title)], { gap, mid: mid && index < lines.length - 1 }),
        ),
      ];
      await store.create(id, rows, pen.state);
      for (const { from, limit } of looks) {
        const cursor = (rows[from]?.seq ?? 0) - (from % 3);
        const page = pageAfter(rows, cursor, limit);
        const more = (page.at(-1)?.n ?? rows.length) < rows.length;
        expect(await store.read(id, { after: cursor, limit })).toMatchObject({ rows: page, more });
        const before = rows.filter(({ seq }) => seq < cursor).slice(-limit);
        expect(await store.readBefore(id, cursor, limit)).toEqual(before);
      }
    });
    await fc.assert(property, { numRuns: times(300) });
  });

  test("a page of large rows is shorter, and the next one goes on behind it", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = logPen();
    const text = "ü".repeat(300_000);
    const notices = Array.from(
      { length: 20 },
      () => ({ type: "notice", level: "info", kind: "", text }) as const,
    );
    const rows = pen.rows([sessionStart(), ...notices]);
    await store.create("a", rows, pen.state);
    const read: StoredRow[] = [];
    let pages = 0;
    for (let more = true; more; pages += 1) {
      const page = await store.read("a", { after: read.at(-1)?.seq ?? 0, limit: 100 });
      read.push(...(page?.rows ?? []));
      more = page?.more === true;
    }
    expect(pages).toBe(2);
    expect(read).toEqual(rows);
    expect(await store.readBefore("a", pen.head.seq + 1, 100)).toEqual(rows);
  });
}
