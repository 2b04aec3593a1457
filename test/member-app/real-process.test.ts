import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { freePort } from "../kit/free-port.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { pushService } from "./push-service.ts";
import { smsService } from "./sms-service.ts";
import { messagesUntil, phoneAt } from "./stage.ts";

const ADA = "+4915123456789";

test("killed in the middle of an answer, the program goes on where the phone was: the prompt is there once, and the phone is told", async () => {
  await using sms = await smsService();
  await using service = await pushService();
  await using stage = new CommandStage();
  await using model = await startModelServer();
  stage.configure(
    JSON.stringify({
      model: { provider: "local", base_url: model.baseUrl, default: "m", context_length: 128_000 },
      webhooks: { private_hosts: ["127.0.0.1"] },
      platforms: { sms: { enabled: true, account_sid: "AC1", from: "+15550100", base_url: sms.url } },
    }),
  );
  Object.assign(stage.env, { SMS_TOKEN: "token", DASHBOARD_PORT: String(await freePort()) });
  expect((await stage.run(["users", "add", "Ada", "--mobile", ADA])).code).toBe(0);
  const start = async () => {
    const command = stage.start(["dashboard", "--print-only"]);
    const { origin } = new URL(await command.line((line) => line.startsWith("http")));
    return { command, origin };
  };
  const first = await start();
  const ada = phoneAt(first.origin);
  // A text that the service does not take: whoever asked sees nothing of it, the audit log has it.
  sms.refuses = 1;
  await ada.post("/sign-in", { mobile: ADA });
  await expect
    .poll(async () => (await stage.run(["dashboard", "audit"])).stdout)
    .toContain("app.code-failed");
  await ada.post("/sign-in", { mobile: ADA });
  await expect.poll(() => sms.texts.length).toBe(1);
  await ada.post("/sign-in/code", { mobile: ADA, code: sms.texts[0]?.slice(0, 6) });
  expect((await ada.post("/push", service.subscription)).status).toBe(200);

  const half = gate();
  model.script(
    reply([...say("The first half"), waitAt(half), ...say(" and the second")]),
    reply(say("Here is all of it.")),
  );
  const body = { id: "sent-by-a-phone", text: "tell me everything" };
  const answer = (await (await ada.post("/prompts", body)).json()) as { readonly conversation_id: string };
  const events = `/conversations/${answer.conversation_id}/events`;
  const before = await messagesUntil(await ada.get(events), "text");
  first.command.child.kill("SIGKILL");
  await first.command.end;

  const second = await start();
  expect(second.origin).toBe(first.origin);
  // The phone never heard of its answer: it sends the same again, and follows from where it was.
  expect(await (await ada.post("/prompts", body)).json()).toEqual({
    ...answer,
    prompt_id: "prompt_sent-by-a-phone",
  });
  const after = await messagesUntil(
    await ada.get(events, { "last-event-id": before.at(-1)?.id ?? "" }),
    "end",
  );
  expect(after.at(-1)?.data).toMatchObject({ outcome: "interrupted", why: "" });
  const whole = await messagesUntil(await ada.get(`${events}?after=0`), "end");
  const textOf = (messages: typeof whole): string =>
    messages.map(({ event, data }) => (event === "text" ? String(data["text"]) : "")).join("");
  expect(textOf(whole)).toBe("The first half");
  expect(textOf([...before, ...after])).toBe("The first half");
  expect(whole.filter(({ event }) => event === "turn")).toHaveLength(1);
  expect(model.requests).toHaveLength(1);
  // Nobody looked, and nothing was lost: the phone is told, once.
  await expect.poll(() => service.pushed.length, { timeout: 20_000 }).toBe(1);
  const { seq } = after.at(-1)?.data ?? {};
  await ada.post(`/conversations/${answer.conversation_id}/read`, { seq });
  const again = { id: "asked-once-more", text: body.text, conversation_id: answer.conversation_id };
  expect((await ada.post("/prompts", again)).status).toBe(202);
  const more = await messagesUntil(await ada.get(`${events}?after=${String(seq)}`), "end");
  expect(textOf(more)).toBe("Here is all of it.");
  expect(service.pushed).toHaveLength(1);
});
