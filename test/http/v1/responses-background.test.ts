import { describe, expect, test } from "vitest";
import { random, times } from "../../kit/counts.ts";
import { handClock } from "../../kit/clock.ts";
import { Machine } from "../../kit/machine.ts";
import {
  callTool,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  think,
  wait,
} from "../../kit/scripted-model.ts";
import { testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";
import { openStream, type Stage, stageWith, wireEvents } from "../stage.ts";

const RESPONSES = "/v1/responses";
const background = { model: "agent", input: "hi", background: true } as const;

interface Told {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
}

const told = (text: string): readonly Told[] => wireEvents(text).map(({ data }) => JSON.parse(data) as Told);

const textOf = (events: readonly Told[]): string =>
  events.map(({ type, delta }) => (type === "response.output_text.delta" ? delta : "")).join("");

async function streamed(stage: Stage, id: string, after?: number): Promise<string> {
  const cursor = after === undefined ? "" : `&starting_after=${after}`;
  return await (await stage.ask(`${RESPONSES}/${id}?stream=true${cursor}`)).text();
}

describe("a response in the background", () => {
  test("answers at once, is polled, and outlives its readers", async () => {
    const clock = handClock();
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("Half "), wait(hold), say("whole")]), {
      host: { clock },
    });
    const begun = await stage.openai.responses.create(background);
    expect(["queued", "in_progress"]).toContain(begun.status);
    expect(begun).toMatchObject({ background: true, error: null });
    await hold.reached;
    clock.advance(120_000);
    expect(await stage.openai.responses.retrieve(begun.id)).toMatchObject({
      status: "in_progress",
      output_text: "Half ",
    });
    hold.open();
    await untilTrue(() => stage.host.running === 0);
    expect(await stage.openai.responses.retrieve(begun.id)).toMatchObject({
      status: "completed",
      output_text: "Half whole",
    });
  });

  test("is cancelled by the stock client, also while it waits for another", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("Half"), wait(hold)]));
    const first = await stage.openai.responses.create(background);
    await hold.reached;
    const next = await stage.openai.responses.create({ ...background, previous_response_id: first.id });
    expect(next.status).toBe("queued");
    expect((await stage.openai.responses.cancel(next.id)).status).toBe("cancelled");
    expect(await stage.openai.responses.cancel(first.id)).toMatchObject({
      status: "cancelled",
      output: [{ status: "incomplete", content: [{ text: "Half" }] }],
    });
    expect((await stage.openai.responses.cancel(first.id)).status).toBe("cancelled");
    expect((await stage.openai.responses.retrieve(first.id)).status).toBe("cancelled");
  });

  test("is stopped when it is deleted", async () => {
    await using stage = await stageWith(scriptedModel([say("Half"), wait(gate())]));
    const { id } = await stage.openai.responses.create(background);
    await untilTrue(() => stage.host.running === 1);
    await stage.openai.responses.delete(id);
    await untilTrue(() => stage.host.running === 0);
    await expect(stage.openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  test("keeps its end when it is cancelled too late", async () => {
    await using stage = await stageWith(scriptedModel([say("done")]));
    const { id } = await stage.openai.responses.create(background);
    await untilTrue(() => stage.host.running === 0);
    expect(await stage.openai.responses.cancel(id)).toMatchObject({
      status: "completed",
      output: [{ content: [{ text: "done" }] }],
    });
  });

  test("must be stored, and nothing else can be cancelled or streamed again", async () => {
    await using stage = await stageWith(scriptedModelWith({ otherwise: () => [say("ok")] }));
    const unstored = await stage.post(RESPONSES, { ...background, store: false });
    expect([unstored.status, await unstored.json()]).toMatchObject([400, { error: { param: "background" } }]);
    const { id } = await stage.openai.responses.create({ model: "agent", input: "hi" });
    await expect(stage.openai.responses.cancel(id)).rejects.toMatchObject({ status: 400 });
    await expect(stage.openai.responses.retrieve(id, { stream: true })).rejects.toMatchObject({
      status: 400,
    });
    await expect(stage.openai.responses.cancel("resp_0")).rejects.toMatchObject({ status: 404 });
    const other = await stage.openai.responses.create(background);
    expect((await stage.ask(`${RESPONSES}/${other.id}?stream=true&starting_after=x`)).status).toBe(400);
  });

  test("streams on where a reader of the stock client left it", async () => {
    const hold = gate();
    const tools = { host: { toolsets: toolsOf(testTool("look")) } };
    const model = scriptedModel(
      [say("Looking. "), callTool("look")],
      [say("Half "), wait(hold), say("whole.")],
    );
    await using stage = await stageWith(model, tools);
    const stream = await stage.openai.responses.create({ ...background, stream: true });
    let last = -1;
    let id = "";
    let text = "";
    for await (const event of stream) {
      expect(event.sequence_number).toBeGreaterThan(last);
      last = event.sequence_number;
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") text += event.delta;
      if (text.endsWith("Half ")) break;
    }
    hold.open();
    const rest = await stage.openai.responses.retrieve(id, { stream: true, starting_after: last });
    let status = "";
    for await (const event of rest) {
      expect(event.sequence_number).toBeGreaterThan(last);
      last = event.sequence_number;
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.completed") status = event.response.status ?? "";
    }
    expect([text, status]).toEqual(["Looking. \n\nHalf whole.", "completed"]);
    const whole = stage.openai.responses.stream({ response_id: id });
    expect((await whole.finalResponse()).output_text).toBe(text);
  });

  test("gives exactly the rest to whoever comes back, at any frame, live or later", async () => {
    const dice = random(7);
    const words = Array.from({ length: 40 }, (_, index) => (index % 7 === 0 ? `🙂${index} ` : `w${index} `));
    const model = scriptedModel(
      [think("Hm. "), ...words.slice(0, 20).map(say), callTool("look")],
      words.slice(20).map(say),
    );
    await using stage = await stageWith(model, { host: { toolsets: toolsOf(testTool("look")) } });
    const live = await openStream(stage, RESPONSES, {
      method: "POST",
      body: { ...background, stream: true, reasoning: { summary: "auto" } },
    });
    const seen = told(await live.end);
    const { response } = seen[0] as unknown as { response: { id: string } };
    const all = textOf(seen);
    for (let n = 0; n < times(300); n += 1) {
      const at = Math.floor(dice() * seen.length);
      const rest = told(await streamed(stage, response.id, seen[at]?.sequence_number));
      expect(textOf(seen.slice(0, at + 1)) + textOf(rest)).toBe(all);
      const others = (events: readonly Told[]) =>
        events
          .filter(({ type }) => !type.endsWith("text.delta"))
          .map(({ type, sequence_number: s }) => [s, type]);
      expect(others(rest)).toEqual(others(seen.slice(at + 1)));
    }
  });

  test("goes on to be read after its server is gone", async () => {
    const machine = new Machine();
    const process = await machine.start(scriptedModel());
    await using first = await stageWith(scriptedModel([say("Half "), wait(gate())]), {
      host: { store: process.store, clock: machine.clock },
    });
    const begun = await openStream(first, RESPONSES, {
      method: "POST",
      body: { ...background, stream: true },
    });
    const seen = told(await begun.until((text) => text.includes('"delta":"Half "')));
    const { response } = seen[0] as unknown as { response: { id: string } };
    process.die();
    const next = await machine.start(scriptedModel());
    await using second = await stageWith(scriptedModel(), {
      host: { store: next.store, clock: machine.clock },
    });
    const rest = told(await streamed(second, response.id, seen.at(-1)?.sequence_number));
    expect(textOf(rest)).toBe("");
    expect(rest.at(-1)?.type).toBe("response.incomplete");
    expect(await second.openai.responses.retrieve(response.id)).toMatchObject({
      status: "incomplete",
      output_text: "Half ",
      incomplete_details: { reason: "interrupted" },
    });
  });
});

describe("the input of a response", () => {
  const input = [
    { role: "user" as const, content: "one" },
    { role: "assistant" as const, content: "two" },
    {
      role: "user" as const,
      content: [
        { type: "input_image" as const, image_url: "data:image/png;base64,AQID", detail: "low" as const },
        { type: "input_text" as const, text: "three" },
      ],
    },
  ];

  test("is listed by the stock client, newest first and page by page", async () => {
    await using stage = await stageWith(scriptedModelWith({ otherwise: () => [say("ok")] }));
    const { id } = await stage.openai.responses.create({ model: "agent", input });
    const pages = await Array.fromAsync(stage.openai.responses.inputItems.list(id, { limit: 1 }));
    expect(pages).toMatchObject([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_image", detail: "low" },
          { type: "input_text", text: "three" },
        ],
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "two" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "one" }] },
    ]);
    const ascending = await stage.openai.responses.inputItems.list(id, {
      order: "asc",
      after: pages[2]?.id ?? "",
    });
    expect(ascending.data.map((item) => item.id)).toEqual([pages[1]?.id, pages[0]?.id]);
    const [shown] = (
      await stage.openai.responses.inputItems.list(id, { include: ["message.input_image.image_url"] })
    ).data;
    expect(shown).toMatchObject({ content: [{ image_url: "data:image/png;base64,AQID" }, {}] });
  });

  test("is refused in pages that cannot be meant", async () => {
    await using stage = await stageWith(scriptedModelWith({ otherwise: () => [say("ok")] }));
    const { id } = await stage.openai.responses.create({ model: "agent", input: "hi" });
    for (const query of ["limit=0", "limit=101", "limit=x", "order=up", "after=msg_0"])
      expect([query, (await stage.ask(`${RESPONSES}/${id}/input_items?${query}`)).status]).toEqual([
        query,
        400,
      ]);
    expect((await stage.ask(`${RESPONSES}/resp_0/input_items`)).status).toBe(404);
  });

  test("adds all its messages to the conversation that it goes on", async () => {
    const model = scriptedModelWith({ otherwise: () => [say("ok")] });
    await using stage = await stageWith(model);
    const first = await stage.openai.responses.create({ model: "agent", input: "zero" });
    await stage.openai.responses.create({
      model: "agent",
      input: [
        { role: "developer", content: "Be kind." },
        ...input.slice(0, 2),
        { role: "user", content: "three" },
      ],
      previous_response_id: first.id,
    });
    expect(model.seen[1]).toEqual(["zero", "one", "three"]);
    expect(model.requests[1]?.system.split("Be kind.")).toHaveLength(2);
  });
});
