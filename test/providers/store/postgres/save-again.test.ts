import { describe, expect, test } from "vitest";
import { createSession } from "../../../../src/providers/store/postgres/create-session.ts";
import { saveAgain } from "../../../../src/providers/store/postgres/save-again.ts";
import { encodeStateEntry } from "../../../../src/providers/store/state-entry.ts";
import { logPen, sessionStart, titleSet } from "../../../kit/log-pen.ts";
import { testPostgres } from "../../../kit/postgres/index.ts";
import { rawHosts, waitsForLock } from "./raw-hosts.ts";

describe.skipIf((await testPostgres()) === undefined)("text that is saved again after a crash", () => {
  test("is that of replies that stream, also when one ends at that moment", async () => {
    await using hosts = await rawHosts();
    const host = await hosts.host("a");
    const pen = logPen();
    const rows = pen.rows([sessionStart(), titleSet("1"), titleSet("2")]);
    await createSession(host, { id: "s", rows, state: encodeStateEntry(pen.state, false) });
    const [session] = await hosts.run(
      "UPDATE sessions SET host = 'a', fence = 7 WHERE id = 's' RETURNING key",
    );
    const key = Number(session?.["key"]);
    const again = (cursor: number, fence = 7) =>
      saveAgain(host.sql, [{ key, fence, cursor, kind: "text", text: "word" }]);
    const kept = async () =>
      (await hosts.run('SELECT "cursor" FROM pieces ORDER BY "cursor"')).map((row) => Number(row["cursor"]));
    await again(1);
    await again(4, 6);
    expect(await kept()).toEqual([1]);

    // The row that ends the reply is on its way.
    let saving: Promise<unknown> | undefined;
    await hosts.sql.transaction(async (within) => {
      const run = (name: string, text: string) => within.query({ name, text });
      await run("t_lock", "UPDATE sessions SET n = n WHERE id = 's'");
      await run("t_end", "UPDATE rows SET type = 'reply.complete' WHERE n = 3");
      await run("t_clear", "DELETE FROM pieces");
      saving = Promise.all([again(1), again(4)]);
      await waitsForLock(hosts, host);
    });
    await saving;
    await again(1);
    expect(await kept()).toEqual([4]);
  });
});
