import { mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openKb } from "../../src/providers/kb/index.ts";
import { systemClock } from "../../src/shared/async/clock.ts";
import { CommandStage } from "../kit/command.ts";
import { testDatabase, testPostgres } from "../kit/postgres/index.ts";

/** Where the documents are: in the home, or in a database that machines share. */
const PLACES = (await testPostgres()) === undefined ? ["home"] : ["home", "shared database"];

test.each(PLACES)(
  "documents of a %s are added, listed, searched, read again and removed, and another process sees each change at once",
  async (place) => {
    await using stage = new CommandStage();
    await using stack = new AsyncDisposableStack();
    const url = place === "home" ? undefined : stack.use(await testDatabase()).url;
    if (url !== undefined) stage.env["AGENT_STORE_URL"] = url;
    const folder = join(stage.workspace, "wiki");
    mkdirSync(folder);
    writeFileSync(join(stage.workspace, "rules.md"), "# Rules\n\n## Guests\n\nVisitors sign at the porter.");
    writeFileSync(join(stage.workspace, "wrong.pdf"), "%PDF-1.4 nothing");
    writeFileSync(join(folder, "dogs.html"), "<h1>Dogs</h1><p>They bark.</p>");
    symlinkSync("/etc/passwd", join(folder, "passwd.md"));
    const kb = (...args: readonly string[]) => stage.ask(["kb", ...args]);
    // As a gateway that runs meanwhile.
    const other = stack.use(openKb({ home: stage.home, url, clock: systemClock }));
    const found = async (words: string) =>
      (await other.search({ words, limit: 5 })).map(({ title }) => title);

    expect((await kb()).stdout).toContain("There are no documents. `agent kb add");
    const added = await kb("add", "rules.md", "wrong.pdf", "wiki", "--every", "1h", "--collection", "house");
    expect(added).toMatchObject({ code: 1 });
    expect(added.stdout).toBe(
      "rules.md: 1 read, read again every 1h.\nwrong.pdf: 1 failed, read again every 1h.\nwiki: 1 read, read again every 1h. Left out: 1 link.\n",
    );
    expect(added.stderr).toMatch(
      /read {7}rules\.md \(1 piece\)\nfailed {5}wrong\.pdf: .*PDF.*\nread {7}dogs\.html/,
    );
    expect(await found("visitors")).toEqual(["Rules"]);
    expect(await found("bark")).toEqual(["Dogs"]);

    const list = JSON.parse((await kb("list", "--json")).stdout) as {
      readonly documents: readonly {
        readonly id: string;
        readonly name: string;
        readonly problem?: string;
      }[];
      readonly sources: readonly { readonly id: string; readonly schedule: { readonly display: string } }[];
    };
    expect(list.documents.map(({ name }) => name)).toEqual(["dogs.html", "rules.md", "wrong.pdf"]);
    expect(list.documents[2]?.problem).toMatch(/damaged/);
    expect(list.sources).toHaveLength(3);
    const shown = await kb("list");
    expect(shown.stdout).toMatch(/^house: 3 documents, 2 pieces, 1 failed\n/);
    expect(shown.stdout).toMatch(
      /s_\w{12} {2}\S+wiki(?: on \S+)? for house, read every 1h; last at .*: 1 document\n/,
    );

    expect((await kb("show", "rules.md")).stdout).toMatch(/\n {5}1 {2}Rules › Guests\n$/);
    expect((await kb("show", "rules.md", "--text")).stdout).toBe("Visitors sign at the porter.\n\n");
    expect((await kb("search", "where", "do", "visitors", "sign")).stdout).toMatch(
      /^\[1\] Rules › Guests \(house; d_\w{12}, piece 1\)\nVisitors sign/,
    );
    stage.configure("personas:\n  clerk:\n    collections: [other]\n");
    expect((await kb("search", "visitors", "--persona", "clerk")).stdout).toContain("No document says");
    expect(await kb("search", "visitors", "--persona", "nobody")).toMatchObject({ code: 1 });

    writeFileSync(join(folder, "dogs.html"), "<h1>Dogs</h1><p>They sleep.</p>");
    expect((await kb("again", "wiki")).stdout).toContain("1 read");
    expect([await found("bark"), await found("sleep")]).toEqual([[], ["Dogs"]]);
    expect((await kb("again", "house")).code).toBe(1);

    expect((await kb("remove", "rules.md", "wiki")).stdout).toMatch(
      /^Removed \S*rules\.md from house.*\nRemoved \S+wiki from house, with all that was read of it\.\n$/,
    );
    expect([await found("visitors"), await found("sleep")]).toEqual([[], []]);
    expect(await kb("remove", "rules.md")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has no document/),
    });
    expect((await kb("remove", "house")).stdout).toBe("Removed house with 1 document.\n");
    expect(JSON.parse((await kb("list", "--json")).stdout)).toEqual({
      collections: [],
      documents: [],
      sources: [],
    });
    expect((await kb("add", "https://user:word@example.com/")).stderr).toContain("without a password");
    const { stdout: health } = await stage.ask(["doctor"]);
    if (url !== undefined) expect(health).toMatch(/ok {4}documents 0 documents, 0 pieces\n/);
    const { stdout: audit } = await stage.ask(["dashboard", "audit", "--json"]);
    for (const action of ["kb.source.added", "kb.source.removed", "kb.collection.removed"])
      expect(audit).toContain(action);
  },
);

test("backups have the documents, and the doctor tells of a damaged knowledge base and how it comes back", async () => {
  await using stage = new CommandStage();
  const file = join(stage.workspace, "rules.md");
  writeFileSync(file, "# Rules\n\nVisitors sign at the porter.");
  await stage.ask(["kb", "add", "rules.md"]);
  const made = await stage.ask(["backup", "make"]);
  expect((await stage.ask(["doctor"])).stdout).toMatch(/ok {4}documents 1 document, 1 piece\n/);
  await stage.ask(["kb", "remove", "documents"]);
  const damaged = openSync(join(stage.home, "kb", "kb.db"), "r+");
  writeSync(damaged, Buffer.alloc(20_000, 7), 0, 20_000, 0);
  const told = await stage.ask(["doctor"]);
  expect(told.stdout.replaceAll(/\s+/g, " ")).toMatch(
    /FAIL documents .*kb\.db is not a database.*agent backup restore/,
  );
  expect((await stage.ask(["kb"])).stderr).toContain("is not a database");
  await stage.ask(["backup", "restore", made.stdout.split(" ")[0] ?? ""]);
  expect((await stage.ask(["kb", "search", "visitors"])).stdout).toContain("sign at the porter");
});
