import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textPart } from "../../../../src/core/events/content.ts";
import type { AssistantMessage, ModelMessage } from "../../../../src/core/ports/model-message.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { parseEndpoint } from "../../../../src/providers/models/config/parse-endpoint.ts";
import type { ModelSettings } from "../../../../src/providers/models/dialects/model-settings.ts";
import { DIALECTS } from "../../../../src/providers/models/dialects/registry.ts";
import { type Body, BodyEncoder } from "../../../../src/providers/models/request/body-encoder.ts";
import { notesForImages } from "../../../../src/providers/models/request/images.ts";
import { legalConversations } from "../../../kit/conversations.ts";
import { times } from "../../../kit/counts.ts";
import { modelRequest } from "../../../kit/model-parts.ts";
import { plainBody } from "../../../kit/plain-body.ts";
import { smallPng } from "../../../kit/small-png.ts";

const settings: ModelSettings = {
  provider: "p",
  kind: "openai",
  name: "claude-sonnet-4-5",
  endpoint: parseEndpoint("https://api.openai.com/v1", "model.base_url"),
  cloud: false,
  keyRemedy: "",
  contextLength: 200_000,
  asksContext: false,
  vision: undefined,
  stream: true,
};
const PICTURE = smallPng();
const READER = "p:claude-sonnet-4-5";

/** Items of a reply of this model in each dialect, each with something opaque. */
const ITEMS = [
  { dialect: "openai-chat", model: READER, items: [{ reasoningField: "reasoning_content" }] },
  {
    dialect: "openai-responses",
    model: READER,
    items: [{ kind: "opaque", item: { type: "reasoning", summary: [], encrypted_content: "E" } }],
  },
  {
    dialect: "anthropic-messages",
    model: READER,
    items: [{ kind: "opaque", item: { type: "thinking", thinking: "hm", signature: "S" } }],
  },
];

const withItems = (message: ModelMessage, choice: number): ModelMessage => {
  const items = ITEMS[choice % (ITEMS.length + 1)];
  return message.role === "assistant" && items !== undefined ? { ...message, items } : message;
};

const conversations = fc
  .tuple(legalConversations, fc.infiniteStream(fc.nat(ITEMS.length)))
  .map(([messages, choices]) => messages.map((message) => withItems(message, choices.next().value)));

/** The ways in which the messages of one request differ from those of the one before. */
interface Edit {
  readonly kind: "grow" | "again" | "refuse" | "last" | "compress" | "undo";
  readonly by: readonly ModelMessage[];
  readonly keep: number;
}
const edits: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom("grow", "grow", "grow", "again", "refuse", "last", "compress", "undo"),
  by: conversations,
  keep: fc.nat(20),
});

/** The next conversation, of the same objects as far as it is the same. */
function edited(messages: readonly ModelMessage[], edit: Edit): readonly ModelMessage[] {
  switch (edit.kind) {
    case "grow":
      return [...messages, ...edit.by];
    case "undo":
      return messages.slice(0, 1 + edit.keep);
    case "last":
      return [...messages.slice(0, -1), ...edit.by.slice(0, 1)];
    case "compress":
      return [{ role: "user", parts: [textPart("summary")] }, ...messages.slice(messages.length / 2)];
    case "again":
    case "refuse":
      return messages;
  }
}

interface Frame extends Pick<ModelRequest, "system" | "tools"> {
  readonly reasoning: string;
  readonly withImages: boolean;
}
const frames: fc.Arbitrary<Frame> = fc.record({
  system: fc.constantFrom("", "Be brief.", 'Ünï "quoted"'),
  tools: fc.subarray(
    ["ls", "rm", "cat"].map((name) => ({ name, description: name, parameters: { type: "object" } })),
  ),
  reasoning: fc.constantFrom("none", "low", "high"),
  withImages: fc.boolean(),
});

const textOf = (body: Body): string => Buffer.concat(body).toString();

/** A request with every image stored, and what its images are sent as. */
const attempt = (messages: readonly ModelMessage[], { withImages, ...frame }: Frame) => ({
  request: modelRequest({ ...frame, messages, loadBlob: () => Promise.resolve(PICTURE) }),
  how: { images: { withImages, sent: () => undefined }, without: new Set<never>() },
});

describe.each(DIALECTS)("in $id", (dialect) => {
  const encode = (encoder: BodyEncoder, messages: readonly ModelMessage[], frame: Frame): Promise<Body> => {
    const { request, how } = attempt(messages, frame);
    return encoder.encode(request, how);
  };

  test("the bytes that a session goes on with are those of a body that is made from nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        conversations,
        conversations,
        fc.array(fc.tuple(edits, frames, fc.boolean()), { maxLength: 12 }),
        async (first, second, steps) => {
          const encoder = new BodyEncoder(dialect, settings);
          const refused: (readonly ModelMessage[])[] = [];
          const given: { readonly body: Body; readonly text: string }[] = [];
          const sessions: (readonly ModelMessage[])[] = [first, second];
          for (const [edit, frame, inSecond] of steps) {
            const messages = edited(sessions[Number(inSecond)] ?? [], edit);
            sessions[Number(inSecond)] = messages;
            if (edit.kind === "refuse" && encoder.leaveItemsOut(messages)) refused.push(messages);
            const fresh = new BodyEncoder(dialect, settings);
            for (const each of refused) fresh.leaveItemsOut(each);
            const body = await encode(encoder, messages, frame);
            const text = textOf(body);
            expect(text).toBe(textOf(await encode(fresh, messages, frame)));
            given.push({ body, text });
          }
          // What was given out may still be on its way.
          for (const { body, text } of given) expect(textOf(body)).toBe(text);
        },
      ),
      { numRuns: times(300) },
    );
  });

  test("the bytes are the text of all messages in one go", async () => {
    await fc.assert(
      fc.asyncProperty(conversations, conversations, frames, async (first, more, frame) => {
        const encoder = new BodyEncoder(dialect, settings);
        for (const messages of [first, [...first, ...more]]) {
          const { request, how } = attempt(messages, { ...frame, withImages: false });
          const encoding = { reader: READER, image: notesForImages(settings.name) };
          expect(textOf(await encoder.encode(request, how))).toBe(
            plainBody(dialect, { request, settings, encoding, without: how.without }),
          );
        }
      }),
      { numRuns: times(300) },
    );
  });

  test("requests of one conversation at the same time do not disturb each other", async () => {
    await fc.assert(
      fc.asyncProperty(conversations, conversations, conversations, async (first, one, other) => {
        const frame: Frame = { system: "s", tools: [], reasoning: "low", withImages: true };
        const encoder = new BodyEncoder(dialect, settings);
        const requests = [first, [...first, ...one], [...first, ...other]];
        const bodies = await Promise.all(requests.map((messages) => encode(encoder, messages, frame)));
        for (const [place, messages] of requests.entries()) {
          const fresh = await encode(new BodyEncoder(dialect, settings), messages, frame);
          expect(textOf(bodies[place] ?? [])).toBe(textOf(fresh));
        }
      }),
      { numRuns: times(100) },
    );
  });

  test("a message is encoded once, and its bytes are not copied for the next request", async () => {
    const encoded: ModelMessage[] = [];
    const counting = {
      frame: (parts: Parameters<typeof dialect.frame>[0]) => dialect.frame(parts),
      encode: (...parts: Parameters<typeof dialect.encode>) => {
        encoded.push(parts[0]);
        return dialect.encode(...parts);
      },
    };
    const encoder = new BodyEncoder(counting, settings);
    const frame: Frame = { system: "s", tools: [], reasoning: "none", withImages: true };
    const messages: ModelMessage[] = [];
    let known = new Set<unknown>();
    for (let turn = 0; turn < 500; turn += 1) {
      const reply: AssistantMessage = { role: "assistant", text: "yes", reasoning: "", calls: [] };
      if (turn > 0) messages.push(reply);
      messages.push({ role: "user", parts: [textPart(`Why is that so? ${turn}`)] });
      const body = await encode(encoder, messages, frame);
      const fresh = body.filter(({ buffer }) => !known.has(buffer));
      expect(Buffer.concat(fresh).length).toBeLessThan(500);
      known = new Set(body.map(({ buffer }) => buffer));
    }
    expect(encoded).toEqual(messages);
    expect(new Set(encoded).size).toBe(messages.length);
  });
});

test("no picture is kept: each request asks for its bytes again", async () => {
  let loads = 0;
  const request: ModelRequest = modelRequest({
    messages: [
      {
        role: "user",
        parts: [{ type: "image", blob: { hash: "a".repeat(64), size: 3 }, mediaType: "image/png" }],
      },
    ],
    loadBlob: () => {
      loads += 1;
      return Promise.resolve(PICTURE);
    },
  });
  for (const dialect of DIALECTS) {
    const encoder = new BodyEncoder(dialect, settings);
    const how = { images: { withImages: true, sent: () => undefined }, without: new Set<never>() };
    const before = loads;
    const bodies = [await encoder.encode(request, how), await encoder.encode(request, how)].map(textOf);
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).toContain(PICTURE.toString("base64"));
    expect(loads - before).toBe(2);
  }
});
