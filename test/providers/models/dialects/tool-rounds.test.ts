import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { textPart } from "../../../../src/core/events/content.ts";
import type { ModelMessage } from "../../../../src/core/ports/model-message.ts";
import { configuredModels, parseModelsConfig } from "../../../../src/providers/models/index.ts";
import { ask, callsIn, joined, type Outcome } from "../../../kit/model-parts.ts";
import { callTool, reply, say, startModelServer, think } from "../../../kit/model-server/index.ts";
import { messages } from "./anthropic-messages/under-test.ts";
import type { DialectUnderTest } from "./behaviour.ts";
import { chatCompletions } from "./openai-chat/under-test.ts";
import { responses } from "./openai-responses/under-test.ts";

const DIALECTS = { chat: chatCompletions, responses, messages };
const NAMES = ["chat", "messages", "responses"] as const;

const TOOL = { name: "ls", description: "Lists.", parameters: { type: "object" } };

/** Three models on one server, each in a dialect of its own. */
const open = async () => {
  const server = await startModelServer();
  const entry = ({ block }: DialectUnderTest): object => {
    const { provider, ...rest } = block;
    return { ...rest, kind: provider, base_url: server.baseUrl };
  };
  const config = parseModelsConfig({
    provider: "chat",
    providers: {
      chat: entry(chatCompletions),
      responses: entry(responses),
      messages: entry(messages),
    },
  });
  const env = { ...chatCompletions.env, ...responses.env, ...messages.env };
  const models = configuredModels(config, { env, clock: systemClock });
  return {
    server,
    model: (provider: string) => models.resolve({ provider }),
    async [Symbol.asyncDispose]() {
      await models[Symbol.asyncDispose]();
      await server.close();
    },
  };
};

const prompt = (text: string): ModelMessage => ({ role: "user", parts: [textPart(text)] });

/** What a host makes of a reply: the message, and a result for each of its calls. */
function round({ parts }: Outcome): readonly ModelMessage[] {
  const end = parts.at(-1);
  const calls = callsIn(parts).map(({ id, name }) => ({ id, name, input: {} }));
  const items = end?.type === "finish" ? end.items : undefined;
  return [
    {
      role: "assistant",
      text: joined(parts),
      reasoning: joined(parts, "reasoning"),
      calls,
      ...(items && { items }),
    },
    {
      role: "tool",
      results: calls.map(({ id, name }) => ({
        callId: id,
        name,
        content: [textPart("a.txt")],
        isError: false,
      })),
    },
  ];
}

const THINKING_REPLY = reply([
  think("I should look."),
  say("Let me look."),
  callTool("ls", {}, { id: "c1" }),
]);

describe.each<[(typeof NAMES)[number], RegExp, string]>([
  [
    "responses",
    /"encrypted_content":"encrypted:SSBzaG91bGQgbG9vay4="/,
    "The encrypted content could not be verified.",
  ],
  [
    "messages",
    /"thinking":"I should look\.","signature":"signed:SSBzaG91bGQgbG9vay4="/,
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
])("reasoning of a model in %s", (provider, proof, refusal) => {
  const toolRound = async (kit: Awaited<ReturnType<typeof open>>) => {
    kit.server.script(THINKING_REPLY, reply("Done."));
    const first = await ask(kit.model(provider), { tools: [TOOL], reasoning: "high" });
    return [prompt("hi"), ...round(first)];
  };

  test("goes back with the results of its calls", async () => {
    await using kit = await open();
    const history = await toolRound(kit);
    await ask(kit.model(provider), { tools: [TOOL], reasoning: "high", messages: history });
    expect((await kit.server.request(2)).text).toMatch(proof);
  });

  test("is kept from all other models, and the conversation goes on with each of them", async () => {
    await using kit = await open();
    let history: readonly ModelMessage[] = await toolRound(kit);
    const others = NAMES.filter((name) => name !== provider);
    for (const [place, other] of [...others, provider].entries()) {
      kit.server.script(reply(`From ${other}.`));
      const outcome = await ask(kit.model(other), { tools: [TOOL], reasoning: "high", messages: history });
      expect(outcome.error).toBeUndefined();
      const { body, text } = await kit.server.request(place + 2);
      expect(DIALECTS[other].problems(body)).toEqual([]);
      expect(text.includes("SSBzaG91bGQgbG9vay4=")).toBe(other === provider);
      expect(text).toContain("a.txt");
      history = [...history, ...round(outcome).slice(0, 1), prompt("and?")];
    }
  });

  test("is left out when its endpoint refuses it, and the reply comes all the same", async () => {
    await using kit = await open();
    kit.server.script(THINKING_REPLY);
    const first = await ask(kit.model(provider), { tools: [TOOL], reasoning: "high" });
    const body = JSON.stringify({ error: { type: "invalid_request_error", message: refusal } });
    kit.server.script({ status: 400, body }, reply("Done."), reply("Again."));
    const history = [prompt("hi"), ...round(first)];
    const second = await ask(kit.model(provider), { tools: [TOOL], reasoning: "high", messages: history });
    expect([joined(second.parts), second.error]).toEqual(["Done.", undefined]);
    expect((await kit.server.request(2)).text).toMatch(proof);
    expect((await kit.server.request(3)).text).not.toMatch(proof);
    // What was refused once is not offered again.
    await ask(kit.model(provider), { tools: [TOOL], reasoning: "high", messages: history });
    expect(kit.server.requests).toHaveLength(4);
  });
});

test("a wish that an endpoint does not grant is given up once, for good", async () => {
  await using kit = await open();
  const refusal = JSON.stringify({
    error: { message: "Your organization must be verified to generate reasoning summaries." },
  });
  kit.server.script({ status: 400, body: refusal }, reply("one"), reply("two"));
  expect(joined((await ask(kit.model("responses"))).parts)).toBe("one");
  expect(joined((await ask(kit.model("responses"))).parts)).toBe("two");
  expect((await kit.server.request(1)).body).toMatchObject({ reasoning: { summary: "auto" } });
  for (const n of [2, 3]) expect((await kit.server.request(n)).body).not.toHaveProperty("reasoning");
});

test("a refusal of anything else is not tried again", async () => {
  await using kit = await open();
  const body = JSON.stringify({ error: { message: "Unknown parameter: 'foo'." } });
  for (const provider of NAMES) {
    kit.server.script({ status: 400, body });
    expect((await ask(kit.model(provider))).error?.code).toBe("provider_bad_request");
  }
  expect(kit.server.requests).toHaveLength(3);
});
