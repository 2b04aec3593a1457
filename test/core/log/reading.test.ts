import { describe, expect, test } from "vitest";
import {
  type ModelPart,
  type Session,
  type SessionEvent,
  systemClock,
  textPart,
} from "../../../src/core/index.ts";
import { SessionLog } from "../../../src/core/log/session-log.ts";
import { EMPTY_STATE } from "../../../src/core/state/state.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { random, times } from "../../kit/counts.ts";
import { callTool, type Gate, gate, say, scriptedModel, think, wait } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";

/** What a reader has in hand: text by kind, and every durable event's cursor and type. */
function fold(events: readonly SessionEvent[]): { text: string; reasoning: string; rows: readonly string[] } {
  let text = "";
  let reasoning = "";
  const rows: string[] = [];
  for (const event of events) {
    if (event.type === "message.delta") text += event.text;
    else if (event.type === "reasoning.delta") reasoning += event.text;
    else rows.push(`${event.seq} ${event.type}`);
  }
  return { text, reasoning, rows };
}

async function longSession(): Promise<{ session: Session; close: () => Promise<void> }> {
  const model = scriptedModel(
    [think("First I think. "), say("Look: "), say("🌍 wide "), callTool("look"), callTool("look")],
    [say("And "), think("hm"), say("done.")],
    [say("Second turn.")],
  );
  const host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
  const session = await host.open();
  await session.submit({ text: "one" }).result;
  await session.submit({ text: "two" }).result;
  return { session, close: () => host.close() };
}

describe("reading a session", () => {
  test("from any cursor gives exactly the rest: no hole, no repeat", async () => {
    const { session, close } = await longSession();
    const all = await allEvents(session);
    const whole = fold(all);
    for (let after = 0; after <= session.cursor; after += 1) {
      const before = all.flatMap((event) => {
        if (event.seq <= after) return [event];
        if (event.type !== "message.delta" && event.type !== "reasoning.delta") return [];
        const cut = event.text.length - (event.seq - after);
        return cut > 0 ? [{ ...event, text: event.text.slice(0, cut) }] : [];
      });
      expect(fold([...before, ...(await allEvents(session, after))])).toEqual(whole);
    }
    await close();
  });

  test("in pages gives the same events as one by one, from any cursor, and ends where the log ends", async () => {
    const { session, close } = await longSession();
    for (let after = 0; after <= session.cursor; after += 1) {
      const pages = await Array.fromAsync(session.pages({ after }));
      expect(pages.flat()).toEqual(await allEvents(session, after));
      expect(pages.every(({ length }) => length > 0)).toBe(true);
    }
    await close();
  });

  test("in pages gives nothing to a reader that has left", async () => {
    const { session, close } = await longSession();
    expect(await Array.fromAsync(session.pages({ signal: AbortSignal.abort() }))).toEqual([]);
    await close();
  });

  test("cursors rise, and every event of every reader has the same", async () => {
    const { session, close } = await longSession();
    const all = await allEvents(session);
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(new Set(all.map(({ seq }) => seq)).size).toBe(all.length);
    await close();
  });

  test("a reader that takes events gets each once, in order: those that it takes, and all others as usual", async () => {
    const live = [gate(), gate(), gate()];
    const [first, second, third] = live as [Gate, Gate, Gate];
    const model = scriptedModel(
      [say("a"), say("b"), wait(first), think("c"), say("d"), callTool("look")],
      [say("e"), wait(second), say("f"), say("g"), wait(third), say("h")],
    );
    const host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
    const session = await host.open();
    const got: SessionEvent[] = [];
    const taken: SessionEvent[] = [];
    const take = (event: SessionEvent): boolean => {
      const takes = "text" in event && !event.text.endsWith("g");
      if (takes) taken.push(event);
      if (takes) got.push(event);
      return takes;
    };
    const reading = (async () => {
      for await (const event of session.events({ take })) {
        got.push(event);
        if (event.type === "title.set") return;
      }
    })();
    const { result } = session.submit({ text: "go" });
    for (const each of live) {
      await each.reached;
      each.open();
    }
    await Promise.all([result, reading]);
    const durable = (await allEvents(session)).filter(({ type }) => type !== "message.complete");
    const shown = got.filter(({ type }) => type !== "message.complete" && type !== "tool.generating");
    expect(fold(shown)).toEqual(fold(durable));
    expect(got.map(({ seq }) => seq)).toEqual(got.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(taken.length).toBeGreaterThan(0);
    await host.close();
  });

  test("text that a model offers has been taken by who reads it when the offer returns", async () => {
    const [text, seen] = ["word", [] as string[]];
    const reader = Promise.withResolvers<void>();
    const reached: (readonly string[])[] = [];
    let take: ((part: ModelPart) => boolean) | undefined;
    async function* reply(): AsyncGenerator<ModelPart, void> {
      await reader.promise;
      expect(take?.({ type: "text", text })).toBe(true);
      reached.push([...seen]);
      yield { type: "finish", reason: "stop" };
    }
    const models = scriptedModel();
    const model = {
      ...models.resolve({}),
      stream: () => Object.assign(reply(), { offerTo: (taker: typeof take) => void (take = taker) }),
    };
    const host = await hostWith({ ...models, resolve: () => model });
    const session = await host.open();
    const { result } = session.submit({ text: "go" });
    const taker = (event: SessionEvent): boolean =>
      event.type === "message.delta" && seen.push(event.text) > 0;
    for await (const { type } of session.events({ take: taker })) {
      if (type === "turn.start") setImmediate(reader.resolve);
      if (type === "turn.end") break;
    }
    await result;
    expect({ reached, seen }).toEqual({ reached: [[text]], seen: [text] });
    await host.close();
  });

  test("text that a model offers to a reply that is over is not taken: it would stand in the next one", async () => {
    const takers: ((part: ModelPart) => boolean)[] = [];
    const late: (boolean | undefined)[] = [];
    async function* reply(): AsyncGenerator<ModelPart, void> {
      if (takers.length === 1) yield { type: "call.end", id: "c1", name: "look", arguments: "{}" };
      else
        late.push(
          takers[0]?.({ type: "text", text: "too late" }),
          takers[1]?.({ type: "text", text: "seen" }),
        );
      yield { type: "finish", reason: "stop" };
    }
    const models = scriptedModel();
    const offerTo = (taker: (part: ModelPart) => boolean): void => void takers.push(taker);
    const model = { ...models.resolve({}), stream: () => Object.assign(reply(), { offerTo }) };
    const toolsets = toolsOf(testTool("look"));
    const host = await hostWith({ ...models, resolve: () => model }, { toolsets });
    const session = await host.open();
    await session.submit({ text: "go" }).result;
    expect([late, fold(await allEvents(session)).text]).toEqual([[false, true], "seen"]);
    await host.close();
  });

  test("what a reader's taker throws is thrown by its reading", async () => {
    const host = await hostWith(scriptedModel([say("a"), say("b")]));
    const session = await host.open();
    const take = (): boolean => {
      throw new Error("no room");
    };
    const reading = Array.fromAsync(session.events({ take }));
    reading.catch(() => undefined);
    const { outcome } = await session.submit({ text: "go" }).result;
    await expect(reading).rejects.toThrow("no room");
    expect(outcome).toBe("completed");
    await host.close();
  });

  test("at a host that does not know the log that far, a turn still ends with all that it said", async () => {
    const home = memoryHome();
    const there = await hostWith(scriptedModel([say("Hello "), say("there.")]), { store: home.open() });
    const here = await hostWith(scriptedModel(), { store: home.open() });
    const session = await there.open();
    const known = await here.session(session.id);
    await session.submit({ text: "one" }).result;
    const delta = (await allEvents(session)).find(({ type }) => type === "message.delta");
    const rest = await allEvents(known, delta?.seq);
    expect(rest.find(({ type }) => type === "message.complete")).toMatchObject({ text: "Hello there." });
    await there.close();
    await here.close();
  });

  test("at a host that has just learnt of a row inside a reply, from whoever looked, the text before it comes first", async () => {
    const home = memoryHome();
    const [later, end] = [gate(), gate()];
    const model = scriptedModel(
      [say("one "), wait(later), say("two "), wait(end), say("three")],
      [say("four")],
    );
    const there = await hostWith(model, { store: home.open() });
    const session = await there.open();
    const turn = session.submit({ text: "go" });
    await later.reached;
    await untilTrue(() => session.cursor > session.state.seq);
    const store = home.open();
    const state = (await store.record(session.id))?.state ?? EMPTY_STATE;
    const log = new SessionLog(session.id, state, {
      ports: { store, clock: systemClock },
      onRows: () => undefined,
    });
    const position = { after: 0, foreignAppends: -1 };
    const readAll = async (): Promise<SessionEvent[]> => {
      const events: SessionEvent[] = [];
      for (;;) {
        const more = await log.read(position);
        if (more.length === 0) return events;
        events.push(...more);
      }
    };
    expect(fold(await readAll()).text).toBe("one ");
    later.open();
    await end.reached;
    const next = session.submit({ text: "next" });
    await next.accepted;
    await log.refresh();
    expect(fold(await readAll())).toMatchObject({
      text: "two ",
      rows: [expect.stringMatching(/prompt\.queued$/)],
    });
    end.open();
    await turn.result;
    await next.result;
    await log.refresh();
    expect(fold(await readAll()).text).toBe("threefour");
    await there.close();
  });

  test("readers that come and go at random while it streams all end with the same", async () => {
    const dice = random(7);
    for (let round = 0; round < times(100); round += 1) {
      const pieces = Array.from({ length: 40 }, (_, index) =>
        index % 7 === 0 ? think(`t${index} `) : say(`w${index} `),
      );
      const model = scriptedModel([...pieces.slice(0, 20), callTool("look")], pieces.slice(20));
      const host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
      const session = await host.open();
      const readers = Array.from({ length: 4 }, async () => {
        const events: SessionEvent[] = [];
        let after = 0;
        for (;;) {
          const leaveAfter = 1 + Math.floor(dice() * 6);
          let got = 0;
          for await (const event of session.events({ after, live: false })) {
            events.push(event);
            after = event.seq;
            got += 1;
            if (event.type === "turn.end") return fold(events);
            if (got >= leaveAfter) break;
          }
          // Sometimes the cut was in the middle of a delta, as when a socket drops.
          const last = events.at(-1);
          if (last?.type === "message.delta" && dice() < 0.5) {
            const keep = Math.floor(dice() * last.text.length);
            events[events.length - 1] = { ...last, text: last.text.slice(0, keep) };
            after = last.seq - last.text.length + keep;
          }
          if (dice() < 0.3) await new Promise((resolve) => setImmediate(resolve));
        }
      });
      await session.submit({ text: "go" }).result;
      const folds = await Promise.all(readers);
      const truth = fold((await allEvents(session)).slice(0, -1));
      for (const each of folds) expect(each).toEqual(truth);
      await host.close();
    }
  });

  test("a reader that falls behind gets the text in one piece and holds nobody up", async () => {
    const hold = gate();
    const model = scriptedModel([say("a"), wait(hold), ...Array.from({ length: 500 }, () => say("x"))]);
    await using host = await hostWith(model);
    const session = await host.open();
    const slow = session.events({ live: false });
    const turn = session.submit({ text: "go" });
    const first: SessionEvent[] = [];
    while (first.at(-1)?.type !== "message.delta") {
      const { value } = await slow.next();
      if (value) first.push(value);
    }
    hold.open();
    await turn.result;
    const next = await slow.next();
    expect(next.value).toMatchObject({ type: "message.delta", text: "x".repeat(500) });
    await slow.return();
  });

  test("readers that keep up get the very same events, so that what is made of one serves all", async () => {
    const hold = gate();
    await using host = await hostWith(scriptedModel([say("a"), wait(hold), say("b"), wait(hold), say("c")]));
    const session = await host.open();
    const reader = async (): Promise<readonly SessionEvent[]> => {
      const deltas: SessionEvent[] = [];
      for await (const event of session.events({ live: false })) {
        if (event.type === "message.delta") deltas.push(event);
        if (event.type === "turn.end") break;
      }
      return deltas;
    };
    const readers = [reader(), reader()];
    const turn = session.submit({ text: "go" });
    await hold.reached;
    hold.open();
    await turn.result;
    const [first = [], second = []] = await Promise.all(readers);
    expect(first.length).toBeGreaterThan(0);
    expect(second).toHaveLength(first.length);
    for (const [index, event] of first.entries()) expect(second[index]).toBe(event);
  });

  test("a lone surrogate at the end of a piece waits for its other half", async () => {
    const [high = "", low = ""] = "🌍".split("");
    const hold = gate();
    await using host = await hostWith(scriptedModel([say(`a${high}`), wait(hold), say(`${low}b`)]));
    const session = await host.open();
    const texts: string[] = [];
    const turn = session.submit({ text: "go" });
    const reading = (async () => {
      for await (const event of turn) if (event.type === "message.delta") texts.push(event.text);
    })();
    await hold.reached;
    await untilTrue(() => texts.length > 0);
    expect(texts).toEqual(["a"]);
    hold.open();
    await reading;
    expect(texts.join("")).toBe("a🌍b");
    expect(texts.every((text) => text.isWellFormed())).toBe(true);
  });

  test("half a surrogate pair reaches no model, whoever wrote it", async () => {
    const half = "\ud83d";
    const calls = [callTool("echo", { text: `in ${half}` }), callTool("echo", { text: "\\ud83d" })];
    const model = scriptedModel(calls, [say("seen")]);
    const echo = testTool("echo", { run: async ({ text }) => `${String(text)} and \u{1f600}` });
    await using host = await hostWith(model, { toolsets: toolsOf(echo) });
    const session = await host.open();
    const { outcome } = await session.submit({ text: `my ${half}`, instructions: `be ${half}` }).result;
    expect(outcome).toBe("completed");
    const sent = JSON.stringify(model.requests.map(({ system, messages }) => [system, messages]));
    expect(sent).not.toMatch(/[^\\]\\ud/);
    expect(sent).toContain("in \ufffd and \u{1f600}");
    expect(sent).toContain("\\\\ud83d and");
  });

  test("who attaches to a running tool gets its latest preview, not the ones before", async () => {
    const hold = gate();
    const tool = testTool("work", {
      run: async function* () {
        yield { preview: "10 %" };
        hold.arrive();
        await hold.opened;
        return { outcome: "ok" as const, content: [] };
      },
    });
    await using host = await hostWith(scriptedModel([callTool("work")]), { toolsets: toolsOf(tool) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    await hold.reached;
    for await (const event of session.events({ after: session.cursor })) {
      expect(event).toMatchObject({ type: "tool.progress", preview: "10 %", seq: session.cursor });
      break;
    }
    hold.open();
    await turn.result;
  });
});

describe("secrets", () => {
  const canary = "sk-canary-0123456789";

  test("never reach the log, a reader or the model, however the stream cuts them", async () => {
    const dice = random(3);
    for (let round = 0; round < times(200); round += 1) {
      const text = `before ${canary} between ${encodeURIComponent(canary)} and ${btoa(canary).replace(/=+$/, "")} after`;
      const pieces: string[] = [];
      for (let rest = text; rest !== "";) {
        const length = 1 + Math.floor(dice() * 9);
        pieces.push(rest.slice(0, length));
        rest = rest.slice(length);
      }
      const model = scriptedModel([...pieces.map(say), callTool("look", { key: canary })], [say("ok")]);
      const tool = testTool("look", { run: async () => `the key is ${canary}` });
      const host = await hostWith(model, { toolsets: toolsOf(tool), secrets: () => [canary] });
      const session = await host.open();
      const events = await Array.fromAsync(session.submit({ text: `my key: ${canary}` }));
      const everything = JSON.stringify([
        events,
        await allEvents(session),
        model.requests.map(({ messages }) => messages),
        session.state,
      ]);
      expect(everything).not.toContain(canary);
      expect(everything).not.toContain(btoa(canary).replace(/=+$/, ""));
      expect(fold(events).text.replaceAll("\n", "")).toBe(
        "before [redacted] between [redacted] and [redacted] afterok",
      );
      await host.close();
    }
  });

  test("are not in what a session is opened or branched with", async () => {
    await using host = await hostWith(scriptedModel(), { secrets: () => [canary] });
    const history = [{ role: "user", parts: [textPart(`my key: ${canary}`)] }] as const;
    const session = await host.open({ title: `About ${canary}`, history });
    await session.submit({ text: "And?" }).result;
    const branch = await host.branch(session.id, { title: `Again ${canary}` });
    const everything = [await allEvents(session), session.state, await allEvents(branch), branch.state];
    expect(JSON.stringify(everything)).not.toContain(canary);
    expect(branch.state.title).toBe("Again [redacted]");
  });
});
