import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Session, type UserSessions } from "../../src/core/index.ts";
import { type HomeStore, memoryStore, readIdentity, sqliteStore } from "../../src/providers/store/index.ts";
import { delegateTool } from "../../src/providers/tools/delegate.ts";
import { random, times } from "../kit/counts.ts";
import { callTool, say, scriptedModelWith } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";

const STORES = { memory: memoryOnly, SQLite: onDisk } as const;

/** A word that stands in everything of one of the two. */
const MARK = /pomegranate/;

test.each(Object.entries(STORES))(
  "a member gets at nothing of another one, or of nobody, by any question to the store in %s",
  async (_name, open) => {
    await using home = await open();
    const { store } = home;
    const delegate = delegateTool({ stopProcesses: () => Promise.resolve(0) });
    const model = scriptedModelWith({
      otherwise: ({ messages }) =>
        JSON.stringify(messages.at(-1)).includes("hand it on")
          ? [callTool("delegate", { goal: "count the pomegranate seeds" })]
          : [say("the pomegranate is red")],
    });
    await using host = await hostWith(model, {
      store,
      toolsets: [{ name: "delegate", label: "", description: "", tools: [delegate], configured: true }],
    });
    const anna = host.of("u_anna");
    const ben = host.of("u_ben");
    const blob = await store.putBlob(new TextEncoder().encode("a picture of a pomegranate"));
    const { session, turn } = await anna.begin(
      { title: "pomegranate" },
      {
        parts: [
          { type: "text", text: "hand it on: pomegranate" },
          { type: "image", blob, mediaType: "image/png" },
        ],
      },
    );
    await turn.result;
    const hidden = await anna.begin({ hidden: true }, { text: "hidden pomegranate" });
    await hidden.turn.result;
    const nobodys = await host.begin({}, { text: "a pomegranate of nobody" });
    await nobodys.turn.result;
    const own = await ben.begin({ title: "of Ben" }, { text: "an apple, no other fruit" });
    await own.turn.result;
    const children = await host.list({ includeChildren: true, includeHidden: true, limit: 99, offset: 0 });
    const child = children.find(({ state }) => state.depth > 0);
    expect(child?.state.user).toBe("u_anna");
    const copy = await host.branch(session.id);
    const foreign = [session.id, hidden.session.id, nobodys.session.id, child?.id ?? "", copy.id];
    const cursor = (await anna.search({ words: "pomegranate", limit: 1 })).cursor;
    const attacker = new Attacker(ben, { foreign, blob: blob.hash, cursor });
    for (let turns = 0; turns < times(1000); turns += 1) {
      const found = await attacker.ask();
      // The answer to an own prompt has the word, too; nothing else of the other one's has.
      expect(JSON.stringify(found.filter(({ id }) => id !== own.session.id))).not.toMatch(MARK);
      for (const { id } of found) expect(foreign).not.toContain(id);
    }
    expect(
      await anna.list({ limit: 99, offset: 0, includeHidden: true, includeChildren: true }),
    ).toHaveLength(4);
    expect(new TextDecoder().decode(await anna.blob(blob.hash))).toMatch(MARK);
    // Nobody is a user without a name.
    for (const name of ["", "u_ann", "u_anna ", "U_ANNA", "%", "*", "u_anna\0"])
      expect(await host.of(name).list({ limit: 9, offset: 0, includeHidden: true }), name).toEqual([]);
  },
);

interface Found {
  readonly id: string;
}

/** What somebody else has. */
interface Goods {
  readonly foreign: readonly string[];
  readonly blob: string;
  /** Of a search of theirs. */
  readonly cursor?: string | undefined;
}

/** Somebody who asks for what is not theirs, in all ways that their door has. */
class Attacker {
  readonly #door: UserSessions;
  readonly #goods: Goods;
  readonly #any = random(41);

  constructor(door: UserSessions, goods: Goods) {
    this.#door = door;
    this.#goods = goods;
  }

  /** @returns what was found; a refusal finds nothing */
  async ask(): Promise<readonly Found[]> {
    const id = this.#guess(this.#pick(this.#goods.foreign));
    const { blob, cursor } = this.#goods;
    const ways: readonly (() => Promise<readonly Found[]>)[] = [
      async () => [await this.#door.record(id)].filter((each) => each !== undefined),
      async () => [await this.#whole(await this.#door.session(id))],
      async () => (await this.#door.remove(id), [{ id }]),
      async () => [{ id: `blob ${(await this.#door.blob(this.#guess(blob))).length} pomegranate` }],
      async () => await this.#door.list(this.#query(id)),
      // A caller in a hurry hands on what it was sent.
      async () => await this.#door.list({ ...this.#query(id), user: "u_anna" } as never),
      async () => await this.#search(this.#pick(["pome*", "pomegranate", '"the pomegranate"', "seeds"])),
      async () => await this.#search("pomegranate", cursor),
    ];
    try {
      return await this.#pick(ways)();
    } catch {
      return [];
    }
  }

  async #search(words: string, cursor?: string): Promise<readonly Found[]> {
    const query = { words, limit: 50, includeHidden: true, ...(cursor === undefined ? {} : { cursor }) };
    const { hits } = await this.#door.search(query);
    return hits.map(({ session, place }) => ({ id: session.id, place }));
  }

  async #whole(session: Session): Promise<Found> {
    return { id: session.id, rows: await session.rows(0, 99) } as Found;
  }

  #query(id: string): Parameters<UserSessions["list"]>[0] {
    const page = {
      limit: 99,
      offset: 0,
      includeHidden: true,
      includeChildren: true,
      includeEmpty: true,
    } as const;
    return this.#pick([
      page,
      { ...page, idPart: id },
      { ...page, title: "pomegranate" },
      { ...page, search: this.#pick(["pomegranate", "%", "_", "' OR 1=1 --"]) },
      { ...page, person: "library", archived: "include" },
      { ...page, below: { activeAt: Number.MAX_SAFE_INTEGER, id: "" } },
    ]);
  }

  #guess(id: string): string {
    const at = Math.floor(this.#any() * id.length);
    return this.#pick([
      id,
      id,
      id.toUpperCase(),
      id.slice(0, at),
      `${id.slice(0, at)}%`,
      ` ${id}`,
      `${id}\0`,
    ]);
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#any() * list.length)] as T;
  }
}

interface OpenHome extends AsyncDisposable {
  readonly store: HomeStore;
}

function memoryOnly(): Promise<OpenHome> {
  const store = memoryStore();
  return Promise.resolve({ store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() });
}

async function onDisk(): Promise<OpenHome> {
  const home = mkdtempSync(join(tmpdir(), "agent-members-"));
  const store = await sqliteStore({ home, identity: readIdentity(process.pid) });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
