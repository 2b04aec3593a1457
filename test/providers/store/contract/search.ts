import fc from "fast-check";
import { expect, test } from "vitest";
import type { DurableEvent } from "../../../../src/core/events/events.ts";
import type { TextHit, TextQuery, Store } from "../../../../src/core/ports/store.ts";
import { NO_USAGE } from "../../../../src/core/events/usage.ts";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { type LogPen, logPen, sessionStart, titleSet, turnStart } from "../../../kit/log-pen.ts";
import type { OpenHome } from "./home.ts";

const MINUTE = 60_000;
/** Characters that mean something to a query language, and some words around them. */
const NASTY = [
  ...Array.from("\"*()-:^{}'+,\\%_;\0 \n検é🎉\ud800"),
  "AND",
  "OR",
  "NOT",
  "NEAR(",
  "words",
  "rf",
];
const EVEN_EMPTY = { includeEmpty: true };

const replyComplete = (text: string, turnId = "turn-1", reasoning = ""): DurableEvent => ({
  type: "reply.complete",
  turnId,
  segments: [
    { kind: "reasoning", cursor: 0, text: reasoning },
    { kind: "text", cursor: 0, text },
  ],
  calls: [],
  finish: "stop",
  usage: NO_USAGE,
  provider: "p",
  model: "m",
});

const toolStart = (label: string, input: Readonly<Record<string, unknown>>): DurableEvent => ({
  type: "tool.start",
  turnId: "turn-1",
  callId: "call-1",
  name: "run_command",
  kind: "execute",
  label,
  input,
});

/** Writes sessions whose rows are a minute apart. */
export function sessionWriter(store: Store, start = Date.UTC(2026, 0, 1)) {
  let time = start;
  return async (id: string, events: readonly DurableEvent[], more = {}): Promise<LogPen> => {
    const pen = logPen(() => (time += MINUTE));
    await store.create(id, pen.rows([sessionStart(more), ...events]), pen.state);
    return pen;
  };
}

/** All hits of a search, whose index is complete, page by page. */
export async function found(
  store: Pick<Store, "search">,
  words: string,
  query: Partial<TextQuery> = {},
): Promise<readonly TextHit[]> {
  const hits: TextHit[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await store.search({ limit: 10, ...query, words, ...(cursor !== undefined && { cursor }) });
    // What is missing in the index is read with the next search.
    if (!page.complete) continue;
    hits.push(...page.hits);
    cursor = page.cursor;
    if (cursor === undefined) return hits;
  }
}

const ids = async (...args: Parameters<typeof found>): Promise<readonly string[]> =>
  (await found(...args)).map(({ session }) => session.id).toSorted();

const marked = ({ place: { text, marks } }: TextHit): readonly string[] =>
  marks.map(([from, to]) => text.slice(from, to));

export function searchContract(openHome: OpenHome): void {
  test("titles, prompts, answers and calls are found, each with its place", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const write = sessionWriter(store);
    const pen = await write("s", [
      titleSet("Invoices of March"),
      turnStart("Where does the   flaky\ntest come from?", "turn-7"),
      toolStart("npx vitest run", { command: "npx vitest run", cwd: "/work/kiwi", text: "x".repeat(400) }),
      replyComplete("It is the clock: a leap second.", "turn-7", "nobody sees pondering"),
    ]);
    const [prompt, ...others] = await found(store, "FLAKY test");
    expect(others).toEqual([]);
    expect(prompt).toMatchObject({ places: 1, session: { id: "s", state: { title: "Invoices of March" } } });
    expect(prompt?.place).toEqual({
      kind: "prompt",
      seq: 3,
      at: expect.any(Number),
      turnId: "turn-7",
      text: "Where does the flaky test come from?",
      marks: [
        [15, 20],
        [21, 25],
      ],
    });
    const kinds = async (words: string) => (await found(store, words)).map(({ place }) => place.kind);
    expect(await kinds("march")).toEqual(["title"]);
    expect(await kinds("leap")).toEqual(["answer"]);
    expect(await kinds("vitest kiwi")).toEqual(["tool"]);
    expect(await kinds("pondering")).toEqual([]);
    expect(await kinds("xxxx")).toEqual([]);
    await store.append(pen.append("s", [titleSet("Receipts")], { release: true }));
    expect(await ids(store, "march")).toEqual([]);
    expect(await ids(store, "receipts")).toEqual(["s"]);
  });

  test("people find what they type, in their own script", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const write = sessionWriter(store);
    await write("latin", [turnStart("Die Größe der Café-Karte in read_file.ts, and SESSIONS too")]);
    await write("chinese", [turnStart("请帮我实现全文检索的功能,使用SQLite数据库。")]);
    await write("japanese", [turnStart("データベースの検索が遅いです。ガ")]);
    await write("korean", [turnStart("데이터베이스에서 검색을 하고 싶어요")]);
    await write("thai", [turnStart("ฉันต้องการค้นหาข้อความ")]);
    const cases: readonly (readonly [string, readonly string[], ...string[]])[] = [
      ["cafe", ["latin"], "Café"],
      ["GRÖSSE", []],
      ["größe", ["latin"], "Größe"],
      ["sess", ["latin"], "SESSIONS"],
      ["sess too", []],
      ["sess* too", ["latin"], "SESSIONS", "too"],
      ['"and sessions"', ["latin"], "and SESSIONS"],
      ['"sessions and"', []],
      ['"and sess', ["latin"], "and SESSIONS"],
      ["read_file", ["latin"], "read_file"],
      ["检索", ["chinese"], "检索"],
      ["全文检索", ["chinese"], "全文检索"],
      ["文全", []],
      ["数据 功能", ["chinese"], "功能", "数据"],
      ["sqlite数据", ["chinese"], "SQLite数据"],
      ["索", ["chinese", "japanese"]],
      ["検索", ["japanese"], "検索"],
      ["ﾃﾞｰﾀ", ["japanese"], "データ"],
      ["ガ", ["japanese"], "ガ"],
      ["검색", ["korean"], "검색"],
      ["ค้นหา", ["thai"], "ค้นหา"],
      ["database", []],
    ];
    for (const [words, sessions, ...marks] of cases) {
      const hits = await found(store, words);
      expect([words, hits.map(({ session }) => session.id).toSorted()]).toEqual([words, sessions]);
      if (marks.length > 0) expect([words, ...hits.flatMap(marked)]).toEqual([words, ...marks]);
    }
  });

  test("whatever is typed gives an answer", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const write = sessionWriter(store);
    await write("odd", [
      turnStart(
        `rm -rf "quoted" NEAR( AND OR NOT a:b ^caret words{x} 'it''s' \\ % _ 🎉 ; DROP TABLE rows --`,
      ),
    ]);
    const queries = [
      '"quoted"',
      'NEAR("rm" rf)',
      "-rf",
      "a:b",
      "^caret",
      "NOT",
      "words : x",
      "'it''s'",
      "DROP TABLE",
      '"',
      "*",
      "x".repeat(1000),
    ];
    const hits = await Promise.all(
      queries.map((words) =>
        found(store, words).then(
          (all) => all.length,
          (error: unknown) => error,
        ),
      ),
    );
    expect(hits.slice(0, 9)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const message = (at: number): string => (hits[at] instanceof HostError ? hits[at].message : "");
    expect([message(9), message(10)]).toEqual(
      Array(2).fill("There is no word to search for. Type a word, or two."),
    );
    expect(hits[11]).toBe(0);
    for (const words of ["y".repeat(10_240), "a ".repeat(40)])
      await expect(store.search({ words, limit: 5 })).rejects.toThrow("Leave some out");
    await expect(store.search({ words: "a", limit: 5, cursor: "1.2.x" })).rejects.toThrow(
      "cursor is of no page",
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...NASTY), maxLength: 40 }), async (words) => {
        try {
          await found(store, words);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "invalid_params" });
        }
      }),
      { numRuns: 100 },
    );
  });

  test("only sessions that a list would show are found", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const write = sessionWriter(store);
    const said = [turnStart("pelican")];
    await write("plain", said);
    await write("hidden", said, { hidden: true });
    await write("child", said, { parentId: "plain", depth: 1 });
    await write("chat", said, { platform: "chat", source: "telegram", cwd: "/else" });
    const archived: DurableEvent = { type: "settings.set", patch: { archived: true } };
    await write("archived", [...said, archived]);
    expect(await ids(store, "pelican")).toEqual(["chat", "plain"]);
    expect(await ids(store, "pelican", { platform: "chat" })).toEqual(["chat"]);
    expect(await ids(store, "pelican", { source: "test" })).toEqual(["plain"]);
    expect(await ids(store, "pelican", { cwd: "/else" })).toEqual(["chat"]);
    expect(await ids(store, "pelican", { includeHidden: true, includeChildren: true })).toEqual([
      "chat",
      "child",
      "hidden",
      "plain",
    ]);
    expect(await ids(store, "pelican", { archived: "only" })).toEqual(["archived"]);
  });

  test("pages lead through everything, once", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const write = sessionWriter(store);
    const turns = (count: number): readonly DurableEvent[] =>
      Array.from({ length: count }, (_, turn) => turnStart(`heron ${turn}`, `turn-${turn}`));
    const all: string[] = [];
    for (let session = 0; session < 60; session += 1) {
      all.push(`s${session}`);
      await write(`s${session}`, turns(session % 3 === 0 ? 20 : 2));
    }
    expect(await ids(store, "heron")).toEqual(all.toSorted());
    const first = await store.search({ words: "heron", limit: 7 });
    expect(first.hits).toHaveLength(7);
    // What comes in between belongs to no later page.
    await write("late", turns(3));
    const rest = await found(store, "heron", first.cursor === undefined ? {} : { cursor: first.cursor });
    const shown = [...first.hits, ...rest].map(({ session }) => session.id);
    expect(shown.toSorted()).toEqual(all.toSorted());
  });

  test("the best stands first: a title, a rare word that comes often, what is newer", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const write = sessionWriter(store);
    await write("titled", [titleSet("Stork"), turnStart("hello")]);
    await write("often", [turnStart("stork and stork and stork")]);
    await write("long", [turnStart(`stork ${"and other birds ".repeat(100)}`)]);
    expect((await found(store, "stork")).map(({ session }) => session.id)).toEqual([
      "titled",
      "often",
      "long",
    ]);
  });

  test("what one process wrote, another finds at once", async () => {
    await using home = await openHome();
    const [a, b] = [await home.openHost(), await home.openHost()];
    const write = sessionWriter(a);
    const pen = await write("s", [turnStart("first grebe")]);
    expect(await ids(b, "grebe")).toEqual(["s"]);
    await a.append(pen.append("s", [turnStart("then a dunlin", "turn-2")], { release: true }));
    expect(await ids(b, "dunlin")).toEqual(["s"]);
    expect(await ids(a, "dunlin")).toEqual(["s"]);
    await a.remove("s");
    expect(await ids(b, "dunlin")).toEqual([]);
  });

  test("a search says what the logs say, whatever became of them", async () => {
    const word = fc.constantFrom("ant", "bee", "cat", "dog", "検索");
    const step = fc.oneof(
      fc.record({ does: fc.constant("say" as const), at: fc.nat(4), word }),
      fc.record({ does: fc.constant("answer" as const), at: fc.nat(4), word }),
      fc.record({ does: fc.constant("title" as const), at: fc.nat(4), word }),
      fc.record({ does: fc.constant("undo" as const), at: fc.nat(4), word }),
      fc.record({ does: fc.constant("branch" as const), at: fc.nat(4), word }),
      fc.record({ does: fc.constant("remove" as const), at: fc.nat(4), word }),
      fc.record({ does: fc.constant("look" as const), at: fc.nat(4), word }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await using home = await openHome();
        const store = await home.openHost();
        const model = new Model(store);
        for (const { does, at, word: said } of steps) {
          if (does === "look")
            expect([said, await ids(store, said, EVEN_EMPTY)]).toEqual([said, model.with(said)]);
          else await model[does](at, said);
        }
        for (const said of ["ant", "bee", "cat", "dog", "検索"])
          expect([said, await ids(store, said, EVEN_EMPTY)]).toEqual([said, model.with(said)]);
      }),
      { numRuns: 5 },
    );
  });
}

/** Sessions on a store, and what is said in each: its title, and words with their cursors. */
class Model {
  readonly #store: Store;
  readonly #sessions: { id: string; pen: LogPen; title: string; said: { seq: number; word: string }[] }[] =
    [];
  #made = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  with(word: string): readonly string[] {
    return this.#sessions
      .filter(({ title, said }) => title === word || said.some((each) => each.word === word))
      .map(({ id }) => id)
      .toSorted();
  }

  async say(at: number, word: string): Promise<void> {
    const session = this.#sessions[at] ?? (await this.#make());
    await this.#append(session, turnStart(word, `turn-${session.pen.head.n}`));
    session.said.push({ seq: session.pen.head.seq, word });
  }

  async answer(at: number, word: string): Promise<void> {
    const session = this.#sessions[at] ?? (await this.#make());
    await this.#append(session, replyComplete(word));
    session.said.push({ seq: session.pen.head.seq, word });
  }

  async title(at: number, word: string): Promise<void> {
    const session = this.#sessions[at] ?? (await this.#make());
    await this.#append(session, titleSet(word));
    session.title = word;
  }

  async undo(at: number): Promise<void> {
    const session = this.#sessions[at];
    if (session === undefined) return;
    const keep = Math.floor(session.pen.head.seq / 2);
    await this.#append(session, { type: "history.undo", keep, turns: 1 });
    session.said = session.said.filter(({ seq }) => seq <= keep);
  }

  async branch(at: number, word: string): Promise<void> {
    const source = this.#sessions[at];
    if (source === undefined) return;
    const id = `branch-${(this.#made += 1)}`;
    const pen = logPen(undefined, source.pen.state);
    const rows = pen.rows([{ type: "session.branch", parentId: source.id, title: word }]);
    await this.#store.branch(source.id, source.pen.head, { id, rows, state: pen.state });
    this.#sessions.push({ id, pen, title: word, said: [...source.said] });
  }

  async remove(at: number): Promise<void> {
    const [session] = this.#sessions.splice(at, 1);
    if (session !== undefined) await this.#store.remove(session.id);
  }

  async #make() {
    const session = { id: `s-${(this.#made += 1)}`, pen: logPen(), title: "", said: [] };
    await this.#store.create(session.id, session.pen.rows([sessionStart()]), session.pen.state);
    this.#sessions.push(session);
    return session;
  }

  async #append({ id, pen }: { id: string; pen: LogPen }, event: DurableEvent): Promise<void> {
    const { status } = await this.#store.append(pen.append(id, [event], { release: true }));
    if (status !== "ok") throw new Error(`the append was not taken: ${status}`);
  }
}
