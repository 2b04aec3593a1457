import { beforeAll, describe, expect, test } from "vitest";
import { readTranscript, type Session } from "../../../src/core/index.ts";
import { type HomeStore, memoryStore } from "../../../src/providers/store/index.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { say, type ScriptedModel, scriptedModelWith } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";

/** Enough rows for several pages. */
const TURNS = 300;
const answering = (): ScriptedModel => scriptedModelWith({ otherwise: () => [say("An answer.")] });

interface Reads {
  readonly store: HomeStore;
  /** The cursors that rows were read after. */
  readonly after: number[];
}

/** A store that notes what is read. */
function noted(store: HomeStore): Reads {
  const after: number[] = [];
  const read: HomeStore["read"] = (id, range) => {
    after.push(range.after);
    return store.read(id, range);
  };
  return { store: changedObject(store, { read }), after };
}

describe("a session of several pages that comes back", () => {
  let store: HomeStore;
  let id: string;
  beforeAll(async () => {
    store = memoryStore();
    const host = await hostWith(answering(), { store });
    const session = await host.open();
    for (let turn = 0; turn < TURNS; turn += 1) await session.submit({ text: `prompt ${turn}` }).result;
    ({ id } = session);
    await host.close();
  });

  /** Opens it in a new host, lets somebody read it, and runs a turn; gives the messages and the reads of that turn. */
  async function nextTurn(readIt: (session: Session, host: HomeStore) => Promise<void>) {
    const models = answering();
    const { store: noting, after } = noted(store);
    const host = await hostWith(models, { store: noting });
    const session = await host.session(id);
    await readIt(session, noting);
    const before = after.length;
    await session.submit({ text: "and now?" }).result;
    await session.undo(1);
    await host.close();
    return { messages: models.requests.at(-1)?.messages, reads: after.slice(before) };
  }

  const replay = async (session: Session, keepsRows: boolean): Promise<void> => {
    for await (const event of session.events({ follow: false, live: false, keepsRows })) void event;
  };

  test("is read again for its next turn, unless somebody kept its rows", async () => {
    const plain = await nextTurn((session) => replay(session, false));
    expect(plain.reads).toContain(0);
    expect(plain.messages).toHaveLength(2 * TURNS + 1);
    const kept = await nextTurn((session) => replay(session, true));
    expect(kept.reads).not.toContain(0);
    expect(kept.messages).toEqual(plain.messages);
    const listed = await nextTurn(async (session, from) => {
      const { id: of, state } = session;
      const keepRows: Session["keepRows"] = (rows) => session.keepRows(rows);
      await readTranscript(from, { id: of, state, keepRows }, { limit: 10 * TURNS });
    });
    expect(listed.reads).not.toContain(0);
    expect(listed.messages).toEqual(plain.messages);
  });

  test("is read a page ahead", async () => {
    const { store: noting, after } = noted(store);
    const host = await hostWith(answering(), { store: noting });
    const session = await host.session(id);
    after.length = 0;
    const events = session.events({ follow: false, live: false });
    await events.next();
    const [first, ahead, ...none] = after;
    expect({ first, none }).toEqual({ first: 0, none: [] });
    let turns = 0;
    for await (const event of events) if (event.type === "turn.end") turns += 1;
    expect(turns).toBeGreaterThanOrEqual(TURNS);
    expect(after.filter((cursor) => cursor === ahead)).toHaveLength(1);
    await host.close();
  });
});
