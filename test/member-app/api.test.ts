import { expect, test } from "vitest";
import { HostError } from "../../src/core/index.ts";
import { callTool, fail, gate, say, wait } from "../kit/scripted-model.ts";
import { allEvents, testTool } from "../kit/test-host.ts";
import { appStage, messagesUntil } from "./stage.ts";

const ADA = "+4915123456789";
const PICTURE = `data:text/html;base64,${Buffer.from("\u0089PNG\r\n\u001A\n and more", "latin1").toString("base64")}`;

interface View {
  readonly conversation: { readonly title: string; readonly working: boolean };
  readonly messages: readonly {
    readonly from: string;
    readonly text: string;
    readonly images?: readonly { readonly hash: string; readonly media_type: string }[];
  }[];
  readonly questions: readonly { readonly id: string; readonly kind: string; readonly text: string }[];
  readonly after: number;
}

const viewIn = async (response: Promise<Response>): Promise<View> => (await (await response).json()) as View;

test("a prompt that is sent again and again is taken once, also all at once, and nothing else under its id", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const body = { id: "one-and-only", text: "hello" };
  const answers = await Promise.all(Array.from({ length: 5 }, () => ada.post("/prompts", body)));
  const taken = await Promise.all(answers.map((answer) => answer.text()));
  expect(new Set(taken).size).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  const { conversation_id: id } = JSON.parse(taken[0] ?? "") as { readonly conversation_id: string };
  await messagesUntil(await ada.get(`/conversations/${id}/events`), "end");
  expect((await ada.post("/prompts", body)).status).toBe(202);
  const view = await viewIn(ada.get(`/conversations/${id}`));
  expect(view.messages.map(({ from, text }) => [from, text])).toEqual([
    ["member", "hello"],
    ["agent", "ok"],
  ]);
  expect((await ada.post("/prompts", { ...body, text: "something else" })).status).toBe(409);
  expect((await ada.post("/prompts", { id: "two-and-empty", text: " " })).status).toBe(400);
  const rows = await allEvents(await stage.host.of(ada.id).session(id));
  const [prompt] = rows.flatMap((event) => (event.type === "turn.start" ? [event.prompt] : []));
  expect(prompt).toMatchObject({ memoryScope: `user:${ada.id}`, from: { surface: "app", client: ada.id } });
});

test("events go on where they were cut: whoever comes back has every character once", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const half = gate();
  stage.model.script([say("one two "), wait(half), say("three four")]);
  const id = await ada.say("count");
  const events = `/conversations/${id}/events`;
  const first = await messagesUntil(await ada.get(events), "text");
  // Opened in the middle of an answer, all of that answer is in what is followed.
  const view = await viewIn(ada.get(`/conversations/${id}`));
  expect(view.messages).toEqual([]);
  half.open();
  const rest = await messagesUntil(await ada.get(events, { "last-event-id": first.at(-1)?.id ?? "" }), "end");
  const whole = await messagesUntil(await ada.get(`${events}?after=${view.after}`), "end");
  const textOf = (messages: typeof rest): string =>
    messages.map(({ event, data }) => (event === "text" ? String(data["text"]) : "")).join("");
  expect(textOf(first) + textOf(rest)).toBe("one two three four");
  expect(textOf(whole)).toBe("one two three four");
});

test("an answer is stopped, a question is answered, a picture is shown, a conversation renamed and deleted", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const never = gate();
  stage.model.script([say("I begin"), wait(never)]);
  const id = await ada.say("go on for ever", { images: [PICTURE] });
  const events = `/conversations/${id}/events`;
  await messagesUntil(await ada.get(events), "text");
  expect((await ada.post(`/conversations/${id}/stop`)).status).toBe(200);
  const stopped = await messagesUntil(await ada.get(events), "end");
  expect(stopped.at(-1)?.data).toMatchObject({ outcome: "cancelled" });

  const view = await viewIn(ada.get(`/conversations/${id}`));
  const [picture] = view.messages[0]?.images ?? [];
  expect(picture?.media_type).toBe("image/png");
  const blob = await ada.get(`/blobs/${picture?.hash ?? ""}`);
  expect([
    blob.status,
    blob.headers.get("content-type"),
    blob.headers.get("content-security-policy"),
  ]).toEqual([200, "image/png", "default-src 'none'; sandbox"]);
  const noPicture = { id: "no-picture", text: "", images: ["data:image/png;base64,SGVsbG8="] };
  expect((await ada.post("/prompts", noPicture)).status).toBe(400);
  const large = { id: "large-picture", text: "", images: [`${PICTURE}${"A".repeat(13 * 2 ** 20)}`] };
  const tooLarge = await ada.post("/prompts", large);
  expect([tooLarge.status, await tooLarge.text()]).toEqual([
    413,
    expect.stringMatching(/send fewer of them/),
  ]);

  expect((await ada.patch(`/conversations/${id}`, { title: "For ever" })).status).toBe(200);
  const { data } = (await (await ada.get("/conversations?q=ever")).json()) as { data: { title: string }[] };
  expect(data.map(({ title }) => title)).toEqual(["For ever"]);
  expect((await ada.remove(`/conversations/${id}`)).status).toBe(200);
  expect((await ada.get(`/conversations/${id}`)).status).toBe(404);
  expect((await ada.get(`/blobs/${picture?.hash ?? ""}`)).status).toBe(404);
});

test("a question of the agent is answered by its member; what an operator decides, by nobody here", async () => {
  const asks = testTool("asks", {
    run: async (_input, context) => {
      const answer = await context.ask({
        kind: "clarify",
        question: "Which one?",
        choices: ["left", "right"],
      });
      return JSON.stringify(answer);
    },
  });
  const tools = [asks, testTool("changes", { effect: "once" })];
  const toolsets = [{ name: "clarify", label: "Test", description: "Of a test", tools, configured: true }];
  await using stage = await appStage({ toolsets });
  const ada = await stage.member("Ada", ADA);
  stage.model.script([callTool("asks")], [callTool("changes")], [say("done")]);
  const id = await ada.say("choose");
  const events = `/conversations/${id}/events`;
  const asked = await messagesUntil(await ada.get(events), "question");
  expect(asked.at(-1)?.data["question"]).toMatchObject({ kind: "question", choices: ["left", "right"] });
  const [question] = (await viewIn(ada.get(`/conversations/${id}`))).questions;
  const answer = { question_id: question?.id, text: "right" };
  expect((await ada.post(`/conversations/${id}/answers`, answer)).status).toBe(200);
  expect((await ada.post(`/conversations/${id}/answers`, answer)).status).toBe(409);
  const after = asked.at(-1)?.id ?? "";
  const more = await messagesUntil(await ada.get(events, { "last-event-id": after }), "question");
  const { id: approval } = (more.at(-1)?.data["question"] ?? {}) as { readonly id: string };
  const approves = { question_id: approval, text: "once" };
  expect((await ada.post(`/conversations/${id}/answers`, approves)).status).toBe(403);
  const session = await stage.host.session(id);
  await session.answer(approval, { choice: "once" }, { surface: "dashboard", client: "operator" });
  expect((await messagesUntil(await ada.get(events), "end")).at(-1)?.data).toMatchObject({
    outcome: "completed",
  });
});

test("why an answer failed is said in words for members, without what stands behind it", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  stage.model.script([fail(new HostError("provider_bad_request", "http://10.0.0.5:4000 refused key sk-1"))]);
  const id = await ada.say("hello");
  const told = (await messagesUntil(await ada.get(`/conversations/${id}/events`), "end")).at(-1);
  const { messages } = await viewIn(ada.get(`/conversations/${id}`));
  const why = expect.stringContaining("tell whoever looks after it");
  expect(told?.data).toMatchObject({ outcome: "failed", why });
  expect(messages.at(-1)).toMatchObject({ from: "end", text: why });
  expect(JSON.stringify([told, messages])).not.toContain("10.0.0.5");
});

test("the app describes its own API", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const document = (await (await ada.get("/openapi.json")).json()) as { readonly paths: object };
  expect(Object.keys(document.paths)).toContain("/app/api/conversations/{conversation_id}/events");
  expect((await stage.phone().get("/openapi.json")).status).toBe(401);
});
