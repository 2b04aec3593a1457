import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { docxOf, pdfOf } from "../providers/kb/documents-of-tests.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly problem?: string;
  readonly can_read_again: boolean;
}

test("documents are sent, read from a folder, searched as a persona and removed over HTTP, and each change is in the audit log", async () => {
  await using stage = new CommandStage();
  stage.configure("personas:\n  clerk:\n    collections: [house]\n");
  const folder = join(stage.workspace, "wiki");
  mkdirSync(folder);
  writeFileSync(join(folder, "dogs.md"), "# Dogs\n\nThey bark at guests.");
  const address = await startDashboard(stage);
  const operator = await operatorAt(address);
  const { origin } = new URL(address);
  const { cookie } = operator;
  const send = async (query: string, body: string | Buffer, more: Readonly<Record<string, string>> = {}) => {
    const headers = { "content-type": "application/octet-stream", cookie, ...more };
    const answer = await fetch(`${origin}/dashboard/api/kb/uploads?${query}`, {
      method: "POST",
      headers,
      body: Buffer.from(body),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { readonly id?: string; readonly error?: object },
    };
  };
  const read = async (path: string): Promise<unknown> => (await operator.get(`/kb${path}`)).json();
  const rows = async (query = "") =>
    ((await read(`/documents${query}`)) as { readonly data: readonly Row[] }).data;

  const sent = await Promise.all([
    send(
      "name=rules.docx&collection=house",
      docxOf(["# Rules", "## Guests", "Visitors sign at the porter."]),
    ),
    send("name=menu.pdf&collection=canteen", pdfOf(["Lunch for visitors is at noon."])),
    send(`name=${encodeURIComponent("../../etc/pass\u0007\n\u202ewd.md")}&collection=house`, "# Odd\n\nname"),
    send("name=empty.txt&collection=house", " "),
  ]);
  expect(sent.map(({ body }) => body)).toMatchObject([
    { outcome: "read", pieces: 1 },
    { outcome: "read", note: "PDF, 1 page" },
    { outcome: "read", name: "pass<U+0007><U+000A><U+202E>wd.md" },
    { outcome: "failed", problem: "it holds no text" },
  ]);
  expect((await rows("?collection=house")).map(({ name, can_read_again }) => [name, can_read_again])).toEqual(
    [
      ["empty.txt", false],
      ["pass<U+0007><U+000A><U+202E>wd.md", false],
      ["rules.docx", false],
    ],
  );
  expect((await rows("?state=failed")).map(({ problem }) => problem)).toEqual(["it holds no text"]);
  expect((await rows("?q=MENU")).map(({ name }) => name)).toEqual(["menu.pdf"]);
  expect(readdirSync(join(stage.home, "kb", "incoming"))).toEqual([]);

  expect((await send("name=a.md&collection=c", "a", { origin: "https://elsewhere.test" })).status).toBe(403);
  expect((await send("name=a.md&collection=c", "a", { cookie: "" })).status).toBe(401);
  expect((await send("name=a.md&collection=c", "{}", { "content-type": "application/json" })).status).toBe(
    415,
  );
  expect((await send("name=/&collection=c", "a")).status).toBe(400);
  expect((await send("name=a.md&collection=", "a")).status).toBe(400);
  expect(await send("name=large.txt&collection=c", Buffer.alloc(52 * 2 ** 20, "a "))).toMatchObject({
    status: 413,
    body: { error: { message: expect.stringMatching(/more than 52 MB/) } },
  });

  const search = async (query: string) =>
    (await read(`/search?${query}`)) as {
      readonly data: readonly { readonly title: string; readonly text_marks: unknown }[];
    };
  expect((await search("q=visitors+sign")).data).toMatchObject([
    {
      title: "Rules",
      heading: "Rules › Guests",
      text_marks: [
        [0, 8],
        [9, 13],
      ],
    },
    { title: "menu.pdf" },
  ]);
  expect((await search("q=visitors&persona=clerk")).data.map(({ title }) => title)).toEqual(["Rules"]);
  expect((await search("q=visitors&persona=clerk&collection=canteen")).data).toEqual([]);
  expect((await operator.get("/kb/search?q=visitors&persona=nobody")).status).toBe(404);
  expect(await read("")).toMatchObject({
    collections: [{ name: "canteen" }, { name: "house", documents: 3, failed: 1 }],
    personas: ["clerk"],
  });

  const added = await operator.post("/kb/sources", { location: folder, collection: "wiki", every: "1h" });
  const source = (await added.json()) as { readonly id: string };
  await expect
    .poll(() => read("/sources"), { timeout: 60_000 })
    .toMatchObject({ data: [{ every: "every 1h", last: { read: 1 }, next_at: expect.any(Number) }] });
  expect((await operator.post("/kb/sources", { location: "wiki", collection: "c" })).status).toBe(400);
  expect((await operator.patch(`/kb/sources/${source.id}`, { every: "whenever" })).status).toBe(400);
  expect(await (await operator.patch(`/kb/sources/${source.id}`, { every: null })).json()).not.toHaveProperty(
    "every",
  );
  const [dogs] = await rows("?collection=wiki");
  expect(await (await operator.post(`/kb/documents/${dogs?.id}/again`)).json()).toMatchObject({
    outcome: "read",
  });
  expect(await read(`/documents/${dogs?.id}`)).toMatchObject({ headings: [{ heading: "Dogs", piece: 1 }] });
  expect(await read(`/documents/${dogs?.id}/text`)).toMatchObject({
    pieces: [{ text: "They bark at guests." }],
  });
  expect((await operator.post(`/kb/documents/${sent[0]?.body.id}/again`)).status).toBe(400);

  expect((await operator.remove(`/kb/documents/${sent[0]?.body.id}`)).status).toBe(200);
  expect((await operator.get(`/kb/documents/${sent[0]?.body.id}`)).status).toBe(404);
  expect((await search("q=porter")).data).toEqual([]);
  expect((await operator.remove(`/kb/sources/${source.id}`)).status).toBe(200);
  expect((await operator.remove("/kb/collections/canteen")).status).toBe(200);
  expect((await operator.remove("/kb/collections/canteen")).status).toBe(404);
  expect((await search("q=visitors+bark")).data).toEqual([]);
  const { data: audit } = (await (await operator.get("/audit")).json()) as {
    readonly data: readonly { readonly action: string }[];
  };
  expect(
    audit
      .map(({ action }) => action)
      .toReversed()
      .filter((action) => action !== "kb.document.added"),
  ).toEqual([
    "sign-in",
    "kb.source.added",
    "kb.source.changed",
    "kb.document.read",
    "kb.document.removed",
    "kb.source.removed",
    "kb.collection.removed",
  ]);
});

test("a document is taken once what is in the way of its folder is removed", async () => {
  await using stage = new CommandStage();
  const address = await startDashboard(stage);
  const { cookie } = await operatorAt(address);
  const send = (): Promise<Response> =>
    fetch(new URL("/dashboard/api/kb/uploads?name=a.md&collection=c", address), {
      method: "POST",
      headers: { "content-type": "application/octet-stream", cookie },
      body: "# Dogs\n\nThey bark.",
    });
  const incoming = join(stage.home, "kb", "incoming");
  mkdirSync(join(stage.home, "kb"), { recursive: true });
  writeFileSync(incoming, "");
  expect((await send()).ok).toBe(false);
  rmSync(incoming);
  expect(await (await send()).json()).toMatchObject({ outcome: "read" });
});

test.skipIf(noBrowser)(
  "files are dropped, watched, searched, read and removed on the page, with a keyboard and at 360 px",
  async () => {
    await using stage = new CommandStage();
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address, { reducedMotion: "reduce" });
    await page.getByRole("link", { name: "KB", exact: true }).click();
    await page.getByText("No document yet").waitFor();
    await page.getByRole("combobox", { name: "Collection" }).first().fill("house");
    await page.getByLabel("Files").setInputFiles([
      {
        name: "rules.md",
        mimeType: "text/markdown",
        buffer: Buffer.from("# Rules\n\n## Guests\n\nVisitors sign <b>here</b>."),
      },
      {
        name: "photo.png",
        mimeType: "image/png",
        buffer: Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]),
      },
    ]);
    const sent = page.getByRole("list", { name: "Files on their way" });
    await sent.getByText("Read", { exact: true }).waitFor();
    await sent.getByText("Failed", { exact: true }).waitFor();
    await page
      .getByRole("region", { name: "Documents" })
      .first()
      .getByRole("link", { name: "rules.md" })
      .waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await page.getByRole("link", { name: "Search", exact: true }).press("Enter");
    await page.getByLabel("Words of a question").fill("visitors");
    await page.locator("mark", { hasText: "Visitors" }).waitFor();
    // It is text, no markup of the page.
    await page.getByText("<b>here</b>").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Rules" }).press("Enter");
    await page.getByRole("region", { name: "Text" }).getByText("Visitors sign").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove rules.md" }).press("Enter");
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Knowledge base" }).waitFor();
    await page.getByRole("link", { name: "rules.md" }).last().waitFor();
    await page.getByRole("link", { name: "Folder or address" }).press("Enter");
    await page.getByLabel("Folder, file or address").fill("not/a/whole/path");
    await page.getByRole("button", { name: "Read it" }).press("Enter");
    await page.getByRole("alert").getByText("neither an address nor a whole path").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(browser.faults).toEqual([]);
  },
);
