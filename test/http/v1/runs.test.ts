import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { Machine } from "../../kit/machine.ts";
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
import { testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";
import { risky } from "../risky-tool.ts";
import { openStream, type Stage, stageWith, wireEvents } from "../stage.ts";

interface Status {
  readonly status: string;
  readonly session_id: string;
  readonly output?: string;
  readonly error?: string;
  readonly approval?: { readonly request_id: string };
}

const start = async (stage: Stage, body: object, headers?: Record<string, string>): Promise<string> => {
  const answer = await stage.post("/v1/runs", body, headers);
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { run_id: string }).run_id;
};
const statusOf = async (stage: Stage, run: string): Promise<Status> =>
  (await (await stage.ask(`/v1/runs/${run}`)).json()) as Status;
const eventsOf = async (
  stage: Stage,
  run: string,
  query = "",
): Promise<readonly Record<string, unknown>[]> => {
  const text = await (await stage.ask(`/v1/runs/${run}/events${query}`)).text();
  expect(text.endsWith(": stream closed\n\n")).toBe(true);
  return wireEvents(text).map(({ event, id, data }) => {
    const fields = JSON.parse(data) as Record<string, unknown>;
    expect(fields).toMatchObject({ event, run_id: run, event_id: Number(id) });
    return fields;
  });
};
const textOf = (events: readonly Record<string, unknown>[]): string =>
  events.map(({ delta }) => (typeof delta === "string" ? delta : "")).join("");
const namesOf = (events: readonly Record<string, unknown>[]): readonly unknown[] =>
  events.map(({ event }) => event);

describe("a run", () => {
  test("is accepted at once, goes on by itself, and tells its story to whoever asks", async () => {
    const model = scriptedModel([say("Looking. "), callTool("look", {}, "c1")], [say("Done."), used(3, 4)]);
    await using stage = await stageWith(model, { host: { toolsets: toolsOf(testTool("look")) } });
    const run = await start(stage, { input: "go" });
    expect(run).toMatch(/^run_[0-9a-f]{32}$/);
    const events = await eventsOf(stage, run);
    expect(namesOf(events).filter((name) => name !== "message.delta")).toEqual([
      "run.started",
      "tool.started",
      "tool.completed",
      "run.completed",
    ]);
    expect(textOf(events)).toBe("Looking. \n\nDone.");
    expect(events.at(-1)).toMatchObject({
      output: "Looking. \n\nDone.",
      usage: { input_tokens: 3, output_tokens: 4 },
      completed: true,
    });
    expect(await statusOf(stage, run)).toMatchObject({
      object: "agent.run",
      run_id: run,
      status: "completed",
      session_id: run,
      model: "agent",
      output: "Looking. \n\nDone.",
      usage: { total_tokens: 7 },
      last_event: "run.completed",
    });
    // Attaching after the end replays everything, again and again.
    const rows = (list: typeof events): typeof events =>
      list.filter(({ event }) => event !== "message.delta");
    const again = await eventsOf(stage, run);
    expect(rows(again)).toEqual(rows(events));
    expect(textOf(again)).toBe(textOf(events));
  });

  test("gives a reader exactly the rest, whichever cursor it comes back with", async () => {
    const words = Array.from({ length: 40 }, (_, index) => say(`w${index} ü 🙂 `));
    const model = scriptedModel([...words, callTool("look")], [say("end")]);
    await using stage = await stageWith(model, { host: { toolsets: toolsOf(testTool("look")) } });
    const run = await start(stage, { input: "go" });
    const all = await eventsOf(stage, run);
    const whole = textOf(all);
    const first = Number(all[0]?.["event_id"]);
    const last = Number(all.at(-1)?.["event_id"]);
    for (const cursor of [0, first, first + 1, first + 7, last - 3, last - 1]) {
      const rest = await eventsOf(stage, run, `?after=${cursor}`);
      expect(whole.endsWith(textOf(rest))).toBe(true);
      expect(namesOf(rest).at(-1)).toBe("run.completed");
      expect(rest.every(({ event_id: id }) => Number(id) > cursor)).toBe(true);
      expect(new Set(rest.map(({ turn_id: turn }) => turn))).toEqual(new Set([all[0]?.["turn_id"]]));
    }
    expect(await eventsOf(stage, run, `?after=${last}`)).toEqual([]);
    expect(await eventsOf(stage, run, `?after=${last + 1000}`)).toEqual([]);
    const bad = await stage.ask(`/v1/runs/${run}/events?after=x`);
    expect(await bad.json()).toMatchObject({ error: { code: "invalid_cursor" } });
  });

  test("loses nothing for a reader that drops at any byte and comes back", async () => {
    const next = random(4);
    const model = scriptedModelWith({
      otherwise: () => Array.from({ length: 30 }, () => say(`${next().toString(36)} ü🙂 `)),
    });
    await using stage = await stageWith(model);
    let run = "";
    let whole = "";
    for (let drop = 0; drop < times(2000); drop += 1) {
      if (drop % 10 === 0) {
        run = await start(stage, { input: "go" });
        whole = "";
      }
      let got = "";
      let cursor = 0;
      for (let tries = 0; ; tries += 1) {
        const stream = await openStream(stage, `/v1/runs/${run}/events`, {
          headers: { "last-event-id": String(cursor) },
        });
        const cut = tries === 0 ? Math.floor(next() * 6000) : Infinity;
        const text =
          cut === Infinity
            ? await stream.end
            : (await stream.until((so) => so.length >= cut || so.includes("stream closed"))).slice(0, cut);
        stream.leave();
        const complete = text.includes("\n\n") ? text.slice(0, text.lastIndexOf("\n\n") + 2) : "";
        for (const { id, data } of wireEvents(complete)) {
          const { delta = "" } = JSON.parse(data) as { delta?: string };
          expect(Number(id)).toBeGreaterThan(cursor);
          cursor = Number(id);
          got += delta;
        }
        if (complete.includes("stream closed")) break;
      }
      whole ||= (await statusOf(stage, run)).output ?? "";
      expect(got).toBe(whole);
    }
  });

  test("is not stopped by readers that leave, and serves several at once", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold), say("b")]));
    const run = await start(stage, { input: "go" });
    const streams = await Promise.all([1, 2, 3].map(() => openStream(stage, `/v1/runs/${run}/events`)));
    await Promise.all(streams.map((stream) => stream.until((text) => text.includes('"delta":"a"'))));
    streams[0]?.leave();
    expect((await statusOf(stage, run)).status).toBe("running");
    hold.open();
    const texts = await Promise.all(streams.slice(1).map((stream) => stream.end));
    // Text that is not in a row yet is dated when it is read.
    const undated = texts.map((text) => text.replaceAll(/"timestamp":[\d.]+/g, ""));
    expect(undated[0]).toBe(undated[1]);
    expect(texts[0]).toContain('"delta":"b"');
  });

  test("is stopped by its own call alone, and stays stopped", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold)]));
    const run = await start(stage, { input: "go" });
    await hold.reached;
    const stop = await stage.post(`/v1/runs/${run}/stop`, {});
    expect(await stop.json()).toEqual({ run_id: run, status: "stopping" });
    expect(namesOf(await eventsOf(stage, run)).at(-1)).toBe("run.cancelled");
    expect(await statusOf(stage, run)).toMatchObject({ status: "cancelled", output: "a", interrupted: true });
    // Again, it says how the run ended.
    expect(await (await stage.ask(`/v1/runs/${run}/stop`, { method: "POST" })).json()).toMatchObject({
      status: "cancelled",
    });
  });

  test("tells of its failure", async () => {
    await using stage = await stageWith(scriptedModel([fail(new HostError("provider_bad_request", "No."))]));
    const run = await start(stage, { input: "go" });
    expect((await eventsOf(stage, run)).at(-1)).toMatchObject({ event: "run.failed", error: "No." });
    expect(await statusOf(stage, run)).toMatchObject({ status: "failed", error: "No." });
  });

  test("that is unknown is 404 everywhere", async () => {
    await using stage = await stageWith(scriptedModel());
    const answers = [
      await stage.ask("/v1/runs/run_0"),
      await stage.ask("/v1/runs/run_0/events"),
      await stage.post("/v1/runs/run_0/stop", {}),
      await stage.post("/v1/runs/run_0/approval", { choice: "once" }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        error: { code: "run_not_found", message: "Run not found: run_0" },
      });
    }
  });

  test("of a process that died is interrupted, and not running", async () => {
    const machine = new Machine();
    const hold = gate();
    const model = scriptedModel([say("half"), wait(hold)]);
    const doomed = await machine.start(model);
    await using first = await stageWith(model, { host: { store: doomed.store, clock: machine.clock } });
    const run = await start(first, { input: "go" });
    await hold.reached;
    doomed.die();
    const other = await machine.start(scriptedModel());
    await other.host.close();
    await using second = await stageWith(scriptedModel(), {
      host: { store: other.store, clock: machine.clock },
    });
    expect(await statusOf(second, run)).toMatchObject({ status: "interrupted" });
    expect(namesOf(await eventsOf(second, run)).at(-1)).toBe("run.interrupted");
  });
});

describe("the session of a run", () => {
  test("is one that the client names, with its history, and its runs are listed", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    for (const input of ["one", "two"])
      await eventsOf(stage, await start(stage, { input, session_id: "mine" }));
    expect(model.seen[1]).toEqual(["one", "two"]);
    const list = (await (await stage.ask("/v1/runs?session_id=mine")).json()) as { data: Status[] };
    expect(list.data.map(({ status, session_id: id }) => [status, id])).toEqual([
      ["completed", "mine"],
      ["completed", "mine"],
    ]);
  });

  test("says the turn of a run at once, and of one that waits as soon as it has one", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([wait(hold)], [say("two")]));
    const headers = { "idempotency-key": "second" };
    const begin = async (input: string, more?: Record<string, string>): Promise<Record<string, unknown>> =>
      (await (await stage.post("/v1/runs", { input, session_id: "mine" }, more)).json()) as never;
    const first = await begin("one");
    const second = await begin("two", headers);
    expect(second).not.toHaveProperty("turn_id");
    hold.open();
    const turns = [];
    for (const { run_id: run } of [first, second])
      turns.push((await eventsOf(stage, String(run))).at(-1)?.["turn_id"]);
    expect(first["turn_id"]).toBe(turns[0]);
    expect((await begin("two", headers))["turn_id"]).toBe(turns[1]);
  });

  test("is the newest one of its session key", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const headers = { "x-agent-session-key": "anna" };
    for (const input of ["one", "two"]) await eventsOf(stage, await start(stage, { input }, headers));
    expect(model.seen[1]).toEqual(["one", "two"]);
  });

  test("takes history and instructions of the client's own", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    await eventsOf(
      stage,
      await start(stage, {
        input: "now",
        instructions: "Be brief.",
        conversation_history: [
          { role: "user", content: "before" },
          { role: "assistant", content: "yes" },
        ],
      }),
    );
    await eventsOf(
      stage,
      await start(stage, {
        input: [
          { role: "user", content: "a" },
          { role: "assistant", content: "b" },
          { role: "user", content: "c" },
        ],
      }),
    );
    expect(model.seen).toEqual([
      ["before", "now"],
      ["a", "c"],
    ]);
    expect(model.requests[0]?.system).toContain("Be brief.");
  });

  test.each([
    [{}, "Missing 'input' field"],
    [{ input: "" }, "Missing 'input' field"],
    [{ input: [] }, "No user message found in input"],
    [{ input: 5 }, "'input' must be a string or array"],
    [{ input: "x", conversation_history: "y" }, "'conversation_history' must be an array"],
    [{ input: "x", conversation_history: [{ role: "user" }] }, "'conversation_history[0]'"],
    [{ input: "x", session_id: "a/b" }, "Invalid session ID"],
    [{ input: "x", author: "me" }, "'author' must be an object"],
  ])("is not begun by %j", async (body, about) => {
    await using stage = await stageWith(scriptedModel());
    const answer = await stage.post("/v1/runs", body);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: { message: string } }).error.message).toContain(about);
  });
});

describe("an approval of a run", () => {
  const asking = (): ReturnType<typeof scriptedModel> => scriptedModel([callTool("risky")], [say("over")]);
  const options = { host: { toolsets: toolsOf(risky()), policy: DEFAULT_POLICY } };

  async function waiting(stage: Stage): Promise<{ readonly run: string; readonly requestId: string }> {
    const run = await start(stage, { input: "go" });
    const stream = await openStream(stage, `/v1/runs/${run}/events`);
    await stream.until((text) => text.includes("approval.request"));
    stream.leave();
    const { status, approval } = await statusOf(stage, run);
    expect(status).toBe("waiting_for_approval");
    return { run, requestId: approval?.request_id ?? "" };
  }

  test.each(["note", "reason"])("the words of a denial reach the model: %s", async (key) => {
    const model = asking();
    await using stage = await stageWith(model, options);
    const { run } = await waiting(stage);
    const long = await stage.post(`/v1/runs/${run}/approval`, { choice: "deny", [key]: "x".repeat(10_001) });
    expect(long.status).toBe(400);
    await stage.post(`/v1/runs/${run}/approval`, { choice: "deny", [key]: "use the other file" });
    await eventsOf(stage, run);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("They said: use the other file");
  });

  test.each([
    ["once", "once", false],
    [" Approve ", "once", false],
    ["session", "session", false],
    ["always", "always", false],
    ["deny", "deny", true],
  ])("%j is taken as %s", async (choice, canonical, denied) => {
    await using stage = await stageWith(asking(), options);
    const { run, requestId } = await waiting(stage);
    const answer = await stage.post(`/v1/runs/${run}/approval`, { choice });
    expect(await answer.json()).toEqual({
      object: "agent.run.approval_response",
      run_id: run,
      choice: canonical,
      resolved: 1,
      request_id: requestId,
    });
    const events = await eventsOf(stage, run);
    expect(events.find(({ event }) => event === "approval.request")).toMatchObject({
      command: "risky --now",
      description: "It is risky",
      request_id: requestId,
      choices: ["once", "session", "always", "deny"],
    });
    expect(events.find(({ event }) => event === "approval.responded")).toMatchObject({
      choice: canonical,
      request_id: requestId,
    });
    expect(events.find(({ event }) => event === "tool.completed")).toMatchObject({ error: denied });
    expect((await statusOf(stage, run)).status).toBe("completed");
  });

  test("is refused when it is none, when nothing is asked, and when the run is over", async () => {
    await using stage = await stageWith(asking(), options);
    const { run } = await waiting(stage);
    const codeOf = async (body: object): Promise<readonly unknown[]> => {
      const answer = await stage.post(`/v1/runs/${run}/approval`, body);
      return [answer.status, ((await answer.json()) as { error?: { code: string } }).error?.code];
    };
    for (const body of [{}, { choice: null }, { choice: "maybe" }])
      expect(await codeOf(body)).toEqual([400, "invalid_approval_choice"]);
    expect(await codeOf({ choice: "once", request_id: " " })).toEqual([400, "invalid_approval_request"]);
    expect(await codeOf({ choice: "once", request_id: "other" })).toEqual([409, "approval_not_pending"]);
    // A null is as good as nothing.
    expect(await codeOf({ choice: "once", request_id: null, scope: null })).toEqual([200, undefined]);
    await eventsOf(stage, run);
    expect(await codeOf({ choice: "once" })).toEqual([409, "approval_not_active"]);
  });

  test("counts for the client that was first when two answer several at once", async () => {
    const model = scriptedModel([callTool("risky", { n: 1 }), callTool("risky", { n: 2 })], [say("over")]);
    // Only calls that change nothing ask side by side.
    const toolsets = toolsOf({ ...risky(), effect: "pure" });
    await using stage = await stageWith(model, { host: { ...options.host, toolsets } });
    const run = await start(stage, { input: "go" });
    const stream = await openStream(stage, `/v1/runs/${run}/events`);
    await stream.until((text) => text.split('"approval.request"').length > 2);
    stream.leave();
    const all = async (): Promise<unknown> =>
      await (await stage.post(`/v1/runs/${run}/approval`, { choice: "once", all: true })).json();
    const answers = (await Promise.all([all(), all()])) as { resolved?: number; error?: { code: string } }[];
    expect(answers.reduce((sum, { resolved = 0 }) => sum + resolved, 0)).toBe(2);
    for (const { error } of answers) if (error !== undefined) expect(error.code).toBe("approval_not_pending");
  });
});

describe("an Idempotency-Key of a run", () => {
  test("makes ten posts at once one run, and gives its state later, whatever the order of keys", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const headers = { "idempotency-key": "k" };
    const body = { input: "go", instructions: "x" };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => stage.post("/v1/runs", body, headers)),
    );
    const ids = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { run_id: string }).run_id),
    );
    expect(new Set(ids).size).toBe(1);
    await eventsOf(stage, ids[0] ?? "");
    const later = await stage.post("/v1/runs", { instructions: "x", input: "go" }, headers);
    expect(later.headers.get("idempotency-replayed")).toBe("true");
    expect(await later.json()).toMatchObject({ run_id: ids[0], status: "completed", replayed: true });
    expect(model.requests).toHaveLength(1);
    expect((await stage.post("/v1/runs", { input: "other" }, headers)).status).toBe(409);
  });

  test("is answered also when the server has enough to do", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([wait(hold)]), { settings: { maxConcurrentRuns: 1 } });
    const headers = { "idempotency-key": "k" };
    const run = await start(stage, { input: "go" }, headers);
    expect((await stage.post("/v1/runs", { input: "more" })).status).toBe(429);
    const replay = await stage.post("/v1/runs", { input: "go" }, headers);
    expect(await replay.json()).toMatchObject({ run_id: run, status: "running" });
    hold.open();
    await untilTrue(() => stage.host.running === 0);
  });
});

describe("a run beside others of its session", () => {
  test("goes on, and says so, when one that waits behind it is taken back", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold), say("b")]));
    const first = await start(stage, { input: "one", session_id: "s" });
    const reader = await openStream(stage, `/v1/runs/${first}/events`);
    const answer = stage.post(
      "/v1/chat/completions",
      { messages: [{ role: "user", content: "two" }] },
      { "x-agent-session-id": "s", "idempotency-key": "k" },
    );
    const last = await start(stage, { input: "three", session_id: "s" });
    await hold.reached;
    await stage.post(`/v1/runs/${last}/stop`, {});
    await expect.poll(async () => (await statusOf(stage, last)).status).toBe("cancelled");
    expect((await statusOf(stage, first)).status).toBe("running");
    hold.open();
    expect(
      namesOf(wireEvents(await reader.end).map(({ data }) => JSON.parse(data) as Record<string, unknown>)).at(
        -1,
      ),
    ).toBe("run.completed");
    expect(await statusOf(stage, first)).toMatchObject({ status: "completed", output: "ab" });
    expect((await answer).status).toBe(200);
  });

  test("ends with its session, and its readers are told", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold)]));
    const key = { "idempotency-key": "k" };
    const runs = [
      await start(stage, { input: "one", session_id: "s" }, key),
      await start(stage, { input: "two", session_id: "s" }),
      await start(stage, { input: "three", session_id: "s" }),
    ];
    const readers = await Promise.all(runs.map((run) => openStream(stage, `/v1/runs/${run}/events`)));
    await hold.reached;
    expect((await stage.ask("/api/sessions/s", { method: "DELETE" })).status).toBe(200);
    for (const [index, reader] of readers.entries()) {
      const last = wireEvents(await reader.end).at(-1);
      expect(JSON.parse(last?.data ?? "{}")).toMatchObject({
        event: "run.interrupted",
        run_id: runs[index],
        interrupted: true,
      });
    }
    // Nothing of the key's run is left, it is not about to begin, and it does not run twice.
    const again = await stage.post("/v1/runs", { input: "one", session_id: "s" }, key);
    expect([again.status, await again.json()]).toMatchObject([410, { error: { code: "session_deleted" } }]);
    expect((await stage.ask("/api/sessions/s")).status).toBe(404);
  });
});
