import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { logPen, sessionStart, titleSet } from "../../../kit/log-pen.ts";
import { newSession, type OpenHome } from "./home.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const notFound = { name: "HostError", code: "blob_not_found" };

export function blobContract(openHome: OpenHome): void {
  test("a blob is found by its content, from every process", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    const bytes = bytesOf("picture");
    const hash = createHash("sha256").update(bytes).digest("hex");
    const refs = await Promise.all([a.putBlob(bytes), b.putBlob(bytes), a.putBlob(bytes)]);
    for (const ref of refs) expect(ref).toEqual({ hash, size: 7 });
    expect(new Uint8Array(await b.getBlob(hash))).toEqual(bytes);
    expect(await a.putBlob(new Uint8Array())).toMatchObject({ size: 0 });
  });

  test("what is no blob is not found", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    for (const hash of ["0".repeat(64), "", "../../../etc/passwd", "A".repeat(64), "0".repeat(63)]) {
      await expect(store.getBlob(hash)).rejects.toMatchObject(notFound);
    }
  });

  test("a blob that two sessions are about to name survives the first of them", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const a = await newSession(store, "a");
    const b = await newSession(store, "b");
    const { hash } = await store.putBlob(bytesOf("twice"));
    await store.putBlob(bytesOf("twice"));
    await store.append(a.append("a", [titleSet("named")], { blobs: [hash], release: true }));
    await store.remove("a");
    await store.append(b.append("b", [titleSet("named")], { blobs: [hash], release: true }));
    expect(new TextDecoder().decode(await store.getBlob(hash))).toBe("twice");
    await store.remove("b");
    await expect(store.getBlob(hash)).rejects.toMatchObject(notFound);
  });

  test("a blob goes with the last session that names it", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const other = await home.openHost();
    const pen = await newSession(store, "a");
    const mine = await store.putBlob(bytesOf("mine"));
    const shared = await store.putBlob(bytesOf("shared"));
    const blobs = [mine.hash, shared.hash];
    await store.append(pen.append("a", [titleSet("named")], { blobs, release: true }));
    const branch = logPen(undefined, pen.state);
    const rows = branch.rows([{ type: "session.branch", parentId: "a", title: "" }]);
    await store.branch("a", pen.head, { id: "b", rows, state: branch.state });

    await store.remove("a");
    expect(new TextDecoder().decode(await store.getBlob(mine.hash))).toBe("mine");
    // Somebody is about to name it.
    await other.putBlob(bytesOf("shared"));
    await store.remove("b");
    await expect(store.getBlob(mine.hash)).rejects.toMatchObject(notFound);
    expect(new TextDecoder().decode(await store.getBlob(shared.hash))).toBe("shared");

    const third = logPen();
    await other.create("c", third.rows([sessionStart()]), third.state);
    await other.append(third.append("c", [titleSet("named")], { blobs: [shared.hash], release: true }));
    await other.remove("c");
    await expect(store.getBlob(shared.hash)).rejects.toMatchObject(notFound);
    expect(await store.putBlob(bytesOf("mine"))).toEqual(mine);
    expect(new TextDecoder().decode(await store.getBlob(mine.hash))).toBe("mine");
  });
}
