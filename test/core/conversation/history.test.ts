import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY, sameTitleNote, type Session } from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { random, times } from "../../kit/counts.ts";
import {
  callTool,
  fail,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  used,
  wait,
} from "../../kit/scripted-model.ts";
import { allEvents, hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

async function talk(session: Session, ...prompts: readonly string[]): Promise<void> {
  for (const text of prompts) await session.submit({ text }).result;
}

describe("undo", () => {
  test("takes the newest turns out of what the model sees and gives their prompts back", async () => {
    const model = scriptedModel();
    await using host = await hostWith(model);
    const session = await host.open();
    await talk(session, "one", "two", "three");
    expect(await session.undo(2)).toEqual(["two", "three"]);
    await talk(session, "four");
    expect(model.seen.at(-1)).toEqual(["one", "four"]);
    expect(await session.undo()).toEqual(["four"]);
    expect(await session.undo()).toEqual(["one"]);
    await expect(session.undo()).rejects.toMatchObject({ code: "nothing_to_undo" });
    await talk(session, "five");
    expect(model.seen.at(-1)).toEqual(["five"]);
  });

  test("is refused while a turn runs", async () => {
    const hold = gate();
    await using host = await hostWith(scriptedModel([wait(hold)]));
    const session = await host.open();
    const turn = session.submit({ text: "x" });
    await turn.accepted;
    await expect(session.undo()).rejects.toMatchObject({ code: "session_busy" });
    hold.open();
    await turn.result;
  });
});

describe("a branch", () => {
  test("has the whole past, with the same cursors, and a life of its own", async () => {
    const model = scriptedModel();
    await using host = await hostWith(model);
    const session = await host.open({ title: "trunk" });
    await talk(session, "one", "two");
    const before = await allEvents(session);
    const copy = await host.branch(session.id);
    expect(copy.state).toMatchObject({ title: "trunk #2", parentId: session.id });
    expect((await allEvents(copy)).slice(0, -1)).toEqual(before);
    await talk(copy, "three");
    expect(model.seen.at(-1)).toEqual(["one", "two", "three"]);
    await session.undo(2);
    await host.delete(session.id);
    await talk(copy, "four");
    expect(model.seen.at(-1)).toEqual(["one", "two", "three", "four"]);
    await expect(host.session(session.id)).rejects.toMatchObject({ code: "session_not_found" });
  });

  test("of a session whose turn runs ends before that turn", async () => {
    const hold = gate();
    const model = scriptedModel([say("1")], [say("2"), wait(hold)], [say("in the copy")]);
    await using host = await hostWith(model);
    const session = await host.open();
    await talk(session, "one");
    const turn = session.submit({ text: "two" });
    await hold.reached;
    const copy = await host.branch(session.id);
    expect(copy.state.turn).toBeUndefined();
    await talk(copy, "three");
    expect(model.seen.at(-1)).toEqual(["one", "three"]);
    hold.open();
    await turn.result;
  });

  test("of a session without an ended turn is refused", async () => {
    await using host = await hostWith(scriptedModel());
    const session = await host.open();
    await expect(host.branch(session.id)).rejects.toMatchObject({ code: "nothing_to_branch" });
  });
});

describe("titles", () => {
  test("are cleaned and bounded, and several sessions may have the same one", async () => {
    await using host = await hostWith(scriptedModel());
    const session = await host.open();
    expect(await session.setTitle("  My\u0007 \u202Etitle\n")).toBe("My title");
    await expect(session.setTitle(" \u0000 ")).rejects.toMatchObject({ code: "invalid_title" });
    await expect(session.setTitle("x".repeat(101))).rejects.toMatchObject({ code: "invalid_title" });
    expect((await host.find("My title")).id).toBe(session.id);
    const second = await host.open({ title: "My title" });
    const found = await host.lookUp("My title");
    expect(found.record.id).toBe(second.id);
    expect(found.sameTitle.map(({ id }) => id)).toEqual([session.id]);
    expect(sameTitleNote(found)).toBe(
      `2 sessions have the title "My title": this is the newest, ${second.id}. Others: ${session.id}.`,
    );
    expect(await session.setTitle("می\u200Cخواهم 👩\u200D👩\u200D👧")).toBe(
      "می\u200Cخواهم 👩\u200D👩\u200D👧",
    );
    await expect(host.find("none")).rejects.toMatchObject({ code: "session_not_found" });
  });
});

test("a title that is made of the first prompt ends at a whole picture", async () => {
  await using host = await hostWith(scriptedModel([say("ok")]));
  const session = await host.open();
  await talk(session, `می\u200Cخواهم\u202E ${"👩\u200D👩\u200D👧\u200D👦".repeat(9)}`);
  expect(session.state.title).toBe(`می\u200Cخواهم ${"👩\u200D👩\u200D👧\u200D👦".repeat(4)}👩\u200D👩…`);
});

describe("compression", () => {
  const small = { contextLength: 1000 };
  const words = (count: number): string => "word ".repeat(count);

  test("happens by itself at 80 % of the context, keeps the log, and is undone with what it stood for", async () => {
    const summaries: string[] = [];
    const model = scriptedModelWith({
      ...small,
      otherwise: (request) => {
        const last = request.messages.at(-1);
        const asked = JSON.stringify(last).includes("Summarize the conversation");
        if (asked) summaries.push("s");
        return asked ? [say("SUMMARY")] : [say("ok"), used(estimated(request.messages), 1)];
      },
    });
    await using host = await hostWith(model);
    const session = await host.open();
    for (let index = 0; index < 6; index += 1) await talk(session, `p${index} ${words(200)}`);
    expect(summaries.length).toBeGreaterThan(0);
    const compress = (await allEvents(session)).find(({ type }) => type === "history.compress");
    expect(compress).toMatchObject({ from: 0, summary: "SUMMARY", automatic: true });
    const last = model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(last[0])).toContain("SUMMARY");
    expect(JSON.stringify(last)).toContain("p5");
    expect(conversationFaults(last)).toEqual([]);
    expect((await allEvents(session)).filter(({ type }) => type === "turn.start")).toHaveLength(6);
  });

  test("that fails twice ends the turn with the reason instead of looping", async () => {
    let asked = 0;
    const model = scriptedModelWith({
      ...small,
      otherwise: (request) => {
        if (!JSON.stringify(request.messages.at(-1)).includes("Summarize the conversation"))
          return [say(words(300)), used(900, 300)];
        asked += 1;
        return asked === 1 ? [fail(new HostError("provider_network", "down"))] : [say(words(5000))];
      },
    });
    await using host = await hostWith(model);
    const session = await host.open();
    await talk(session, "a");
    const result = await session.submit({ text: "b" }).result;
    expect(result).toMatchObject({ outcome: "failed", error: { code: "context_exhausted" } });
    expect(asked).toBe(2);
  });

  test("is not tried for a prompt that is too long by itself, and the error says so", async () => {
    const model = scriptedModelWith({ ...small, otherwise: () => [say("never")] });
    await using host = await hostWith(model);
    const session = await host.open();
    const result = await session.submit({ text: words(20_000) }).result;
    expect(result.error).toMatchObject({
      code: "context_exhausted",
      message: expect.stringContaining("The newest exchange alone has about"),
    });
    expect(model.requests).toEqual([]);
    expect((await allEvents(session)).map(({ type }) => type)).not.toContain("history.compress_failed");
  });

  test("that fails does not keep a turn from what still fits, and is tried again in a later turn", async () => {
    let asked = 0;
    const model = scriptedModelWith({
      ...small,
      otherwise: (request) => {
        if (!JSON.stringify(request.messages.at(-1)).includes("Summarize the conversation"))
          return [say(words(300)), used(850, 40)];
        asked += 1;
        return asked <= 2 ? [fail(new HostError("provider_network", "down"))] : [say("SUMMARY")];
      },
    });
    await using host = await hostWith(model);
    const session = await host.open();
    await talk(session, "a", "b");
    expect(asked).toBe(2);
    await talk(session, "c");
    expect(asked).toBe(3);
    expect(JSON.stringify(model.requests.at(-1)?.messages[0])).toContain("SUMMARY");
  });

  test("answers a provider that says the request is too long, once", async () => {
    const overflow = new HostError("provider_context_overflow", "too long");
    const model = scriptedModel([say("1 " + words(100))], [fail(overflow)], [say("SUMMARY")], [say("fits")]);
    await using host = await hostWith(model);
    const session = await host.open();
    await talk(session, "one");
    expect(await session.submit({ text: "two" }).result).toMatchObject({
      outcome: "completed",
      text: "fits",
    });
    expect(JSON.stringify(model.requests.at(-1)?.messages[0])).toContain("SUMMARY");
  });

  test("inside one long turn keeps its prompt and closes no open call", async () => {
    const model = scriptedModelWith({
      ...small,
      otherwise: (request) => {
        if (JSON.stringify(request.messages.at(-1)).includes("Summarize the conversation"))
          return [say("ROUNDS SO FAR")];
        return model.requests.length < 8
          ? [callTool("look"), used(estimated(request.messages), 1)]
          : [say("end")];
      },
    });
    const tool = testTool("look", { run: async () => words(150) });
    await using host = await hostWith(model, { toolsets: toolsOf(tool) });
    const session = await host.open();
    expect(await session.submit({ text: "THE PROMPT" }).result).toMatchObject({
      outcome: "completed",
      text: "end",
    });
    const last = model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(last[0])).toMatch(/THE PROMPT.*ROUNDS SO FAR/);
    for (const { messages } of model.requests) expect(conversationFaults(messages)).toEqual([]);
  });

  test("by hand says what it did, and can be switched off", async () => {
    const model = scriptedModel([say(words(200))], [say(words(200))], [say("SUMMARY")]);
    await using host = await hostWith(model, {
      policy: { ...DEFAULT_POLICY, compression: { ...DEFAULT_POLICY.compression, enabled: false } },
    });
    const session = await host.open();
    const signal = new AbortController().signal;
    expect(await session.compress({ signal })).toMatchObject({ done: false });
    await talk(session, "one", "two");
    expect(await session.compress({ signal, focus: "numbers" })).toMatchObject({ done: true });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("numbers");
    expect(session.state.counts.compressions).toBe(1);
  });

  test("that took an earlier one in and is undone leaves a session that goes on, word for word", async () => {
    const model = scriptedModelWith({
      otherwise: ({ messages }) =>
        JSON.stringify(messages.at(-1)).includes("Summarize the conversation")
          ? [say("SUMMARY")]
          : [say(words(200))],
    });
    await using host = await hostWith(model);
    const session = await host.open();
    const signal = new AbortController().signal;
    await talk(session, "one", "two");
    expect(await session.compress({ signal })).toMatchObject({ done: true });
    await talk(session, "three", "four");
    expect(await session.compress({ signal })).toMatchObject({ done: true });
    await session.undo(2);
    await talk(session, "five");
    expect(model.seen.at(-1)).toEqual(["one", "two", "five"]);
  });
});

describe("whatever a summarizer does", () => {
  const faults = [
    fail(new HostError("provider_bad_request", "no")),
    fail(new HostError("provider_stalled", "too slow")),
    say(""),
    say("all of it and more ".repeat(400)),
    say("SUMMARY"),
  ];

  test("the log only grows, the newest prompt is in each request, and nobody asks more than twice", async () => {
    for (let round = 0; round < times(150); round += 1) {
      const dice = random(round);
      let asked = 0;
      const model = scriptedModelWith({
        contextLength: 1000,
        otherwise: ({ messages }) => {
          if (!JSON.stringify(messages.at(-1)).includes("Summarize the conversation"))
            return [say("word ".repeat(300 * dice())), used(estimated(messages), 1)];
          asked += 1;
          const fault = faults[Math.floor(dice() * faults.length)];
          return fault === undefined ? [] : [fault];
        },
      });
      await using host = await hostWith(model);
      const session = await host.open();
      let before: readonly unknown[] = [];
      for (let prompt = 0; prompt < 6; prompt += 1) {
        [asked, model.requests.length] = [0, 0];
        const text = `P${prompt} ${"word ".repeat(300 * dice())}`;
        const { outcome, error } = await session.submit({ text }).result;
        expect([undefined, "context_exhausted"], outcome).toContain(error?.code);
        expect(asked).toBeLessThanOrEqual(2);
        for (const { messages } of model.requests) {
          expect(conversationFaults(messages)).toEqual([]);
          if (JSON.stringify(messages.at(-1)).includes("Summarize the conversation")) continue;
          expect(JSON.stringify(messages)).toContain(`P${prompt} `);
        }
        const now = await allEvents(session);
        expect(now.slice(0, before.length)).toEqual(before);
        expect(now.filter(({ type }) => type === "turn.end")).toHaveLength(prompt + 1);
        before = now;
      }
    }
  });
});

/** Tokens as a provider would count them, near enough. */
const estimated = (messages: readonly unknown[]): number => Math.ceil(JSON.stringify(messages).length / 5);
