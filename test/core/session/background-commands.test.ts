import { expect, test } from "vitest";
import type { Session } from "../../../src/core/index.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { Machine, type TestProcess } from "../../kit/machine.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { allEvents, outline, testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";

const NOTE = (id: string): string => `[The background command ${id} (make) ended with exit code 0.]`;
const GONE = (id: string): string =>
  `[The background command ${id} (make) ended with the agent that ran it.]`;

const began = async ({ store }: TestProcess, session: Session, processId: string): Promise<void> =>
  void (await session.note("processBegan", { processId, command: "make", hostId: store.hostId }));

const over = async (session: Session, processId: string): Promise<void> =>
  void (await session.note("processOver", { processId, command: "make", exitCode: 0, signal: null }));

const running = ({ state }: Session): readonly string[] => state.processes.map(({ processId }) => processId);

test("a command that ends while a turn runs is told with the next request, after the results, and once", async () => {
  const machine = new Machine();
  const model = scriptedModel([callTool("work")], [say("1"), callTool("work")], [say("2")], [say("3")]);
  let ends: readonly string[] = ["bg_1", "bg_2"];
  const work = testTool("work", {
    run: async () => {
      for (const id of ends) await over(session, id);
      ends = [];
      return "worked";
    },
  });
  const a = await machine.start(model, { toolsets: toolsOf(work) });
  const session = await a.host.open();
  await began(a, session, "bg_1");
  await began(a, session, "bg_2");
  expect(running(session)).toEqual(["bg_1", "bg_2"]);
  await session.submit({ text: "go" }).result;
  expect(running(session)).toEqual([]);
  await session.submit({ text: "and now?" }).result;
  const note = `${NOTE("bg_1")}\n${NOTE("bg_2")}`;
  expect(model.seen).toEqual([["go"], ["go", note], ["go", note], ["go", note, "and now?"]]);
  for (const { messages } of model.requests) expect(conversationFaults(messages)).toEqual([]);
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(outline(await allEvents(session)).filter((type) => type === "process.told")).toHaveLength(1);
  await a.host.close();
});

test("one that ends during the last reply is told with the next prompt", async () => {
  const machine = new Machine();
  const hold = gate();
  const model = scriptedModel([say("1"), wait(hold)], [say("2")]);
  const a = await machine.start(model);
  const session = await a.host.open();
  await began(a, session, "bg_1");
  const turn = session.submit({ text: "go" });
  await hold.reached;
  await over(session, "bg_1");
  hold.open();
  await turn.result;
  await session.submit({ text: "and now?" }).result;
  expect(model.seen).toEqual([["go"], ["go", `${NOTE("bg_1")}\nand now?`]]);
  await a.host.close();
});

test("a host that dies before the model heard of an end leaves it to the next prompt; one that dies after it tells it once", async () => {
  for (const told of [false, true]) {
    const machine = new Machine();
    const hold = gate();
    const during = gate();
    const work = testTool("work", {
      run: async () => {
        await over(session, "bg_1");
        if (!told) {
          hold.arrive();
          await hold.opened;
        }
        return "worked";
      },
    });
    const a = await machine.start(scriptedModel([callTool("work")], [wait(during), say("never")]), {
      toolsets: toolsOf(work),
    });
    const session = await a.host.open();
    await began(a, session, "bg_1");
    const lost = session.submit({ text: "go" }).result.catch(() => undefined);
    await (told ? during : hold).reached;
    a.die();
    const model = scriptedModel([say("heard")], [say("again")]);
    const b = await machine.start(model);
    const again = await b.host.session(session.id);
    await again.submit({ text: "and now?" }).result;
    await again.submit({ text: "again" }).result;
    for (const seen of model.seen) expect(seen.join("\n").split(NOTE("bg_1"))).toHaveLength(2);
    for (const { messages } of model.requests) expect(conversationFaults(messages)).toEqual([]);
    hold.open();
    during.open();
    await lost;
    await b.host.close();
  }
});

test("commands of a host that died are over for who comes after it, and for the model", async () => {
  const machine = new Machine();
  const a = await machine.start(scriptedModel());
  const session = await a.host.open();
  await session.submit({ text: "go" }).result;
  await began(a, session, "bg_1");
  await a.store.recordChild({ pid: 77, startedAt: "1", session: session.id, label: "make" });
  a.die();
  const model = scriptedModel([say("heard")]);
  const b = await machine.start(model);
  const again = await b.host.session(session.id);
  await again.refresh();
  expect(running(again)).toEqual([]);
  await again.submit({ text: "and now?" }).result;
  expect(model.seen).toEqual([["go", `${GONE("bg_1")}\nand now?`]]);
  await b.host.close();
});

test("commands of a host that died are nobody's news where they were of no session, or of one that is deleted", async () => {
  const machine = new Machine();
  const [a, other] = [await machine.start(scriptedModel()), await machine.start(scriptedModel())];
  const session = await a.host.open();
  for (const id of ["", session.id])
    await a.store.recordChild({ pid: 77, startedAt: id, session: id, label: "make" });
  a.die();
  await other.host.delete(session.id);
  const reported: Error[] = [];
  const b = await machine.start(scriptedModel(), { report: (error) => void reported.push(error) });
  await b.host.start();
  await b.host.close();
  await other.host.close();
  expect(reported).toEqual([]);
});

test("a command whose host left no trace is over when somebody looks at the session", async () => {
  const machine = new Machine();
  const a = await machine.start(scriptedModel());
  const session = await a.host.open();
  await session.note("processBegan", { processId: "bg_1", command: "make", hostId: "nobody" });
  await began(a, session, "bg_2");
  await a.store.recordChild({ pid: 77, startedAt: "1", session: session.id, label: "make" });
  const b = await machine.start(scriptedModel());
  const there = await b.host.session(session.id);
  await b.host.start();
  // The other one runs, in a process that lives.
  expect(running(there)).toEqual(["bg_2"]);
  await a.host.close();
  await b.host.close();
});

test("what ends because its host closes is noted before the host is gone", async () => {
  const machine = new Machine();
  const a = await machine.start(scriptedModel(), {
    closing: async () => {
      await session.note("processOver", {
        processId: "bg_1",
        command: "make",
        exitCode: null,
        signal: "SIGTERM",
        withHost: true,
      });
    },
  });
  const session = await a.host.open();
  await began(a, session, "bg_1");
  await a.host.close();
  const b = await machine.start(scriptedModel());
  expect((await b.host.record(session.id))?.state).toMatchObject({
    processes: [],
    untold: [{ processId: "bg_1", withHost: true }],
  });
  await b.host.close();
});

test("the first end of a command that is noted counts", async () => {
  const machine = new Machine();
  const a = await machine.start(scriptedModel());
  const session = await a.host.open();
  await began(a, session, "bg_1");
  await over(session, "bg_1");
  await over(session, "bg_1");
  await untilTrue(() => running(session).length === 0);
  expect(outline(await allEvents(session))).toEqual(["session.start", "process.start", "process.complete"]);
  await a.host.close();
});
