import type { HomeStore } from "../../../../src/providers/store/index.ts";
import { logPen, titleSet, turnStart } from "../../../kit/log-pen.ts";
import { newSession, piece } from "../contract/home.ts";
import { sqliteHome } from "../sqlite/sqlite-home.ts";

/** Text of all kinds: halves of pairs, NUL, the mark that the database's encoding uses. */
const STRANGE = "tea \u0000 \ud83d\ude00 \ue000 \ud83d é";

/** Fills a home with sessions, records, blobs and a feed; one session's driver is killed while it streams. */
export async function seedHome(folder: string, sessions: number): Promise<void> {
  await using home = await sqliteHome({ folder });
  const store = await home.openHost();
  for (let index = 0; index < sessions; index += 1) {
    const id = `s${index}`;
    const pen = await newSession(store, id);
    const rows = index === 3 ? 800 : 1 + (index % 5);
    for (let count = 0; count < rows; count += 100) {
      const events = Array.from({ length: Math.min(100, rows - count) }, (_, at) =>
        titleSet(`${STRANGE} ${count + at}`),
      );
      await store.append(pen.append(id, events, { release: true }));
    }
  }
  await withBlobs(store);
  const drafts = Array.from({ length: 1500 }, (_, index) => ({
    space: index % 2 === 0 ? "even" : "odd",
    key: `k${index}`,
    value: JSON.stringify({ index, STRANGE }),
    ...(index % 3 === 0 && { parent: `p${index % 7}`, dueAt: index }),
    ...(index % 100 === 1 && { expiresAt: index === 1 ? 1 : 4e12 }),
  }));
  await Promise.all(drafts.map((draft) => store.records.put(draft)));
  await store.records.put({ space: "even", key: "k0", value: '"again"' });
  await store.records.remove("odd", "k1499");
  await store.remove("s1");
  await killedWhileItStreams(home);
}

async function withBlobs(store: HomeStore): Promise<void> {
  const pen = await newSession(store, "blobs");
  for (const size of [0, 1000, 700_000]) {
    const bytes = Buffer.alloc(size, size % 251);
    const { hash } = await store.putBlob(bytes);
    await store.append(pen.append("blobs", [titleSet("one more")], { release: true, blobs: [hash] }));
  }
}

async function killedWhileItStreams(home: Awaited<ReturnType<typeof sqliteHome>>): Promise<void> {
  const store = await home.openHost();
  const pen = await newSession(store, "streams", logPen());
  const begun = await store.append(pen.append("streams", [turnStart("go", "t1")], { reserve: 1000 }));
  if (begun.status !== "ok" || begun.fence === undefined) throw new Error("It has the lease.");
  const { seq } = pen.head;
  const { fence } = begun;
  store.savePieces({
    session: "streams",
    fence,
    n: pen.head.n,
    pieces: [piece(seq, "Half of \u0000 an "), piece(seq + 12, "answer")],
  });
  await home.kill(store);
}
