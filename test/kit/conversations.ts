import fc from "fast-check";
import type { ToolContent, UserPart } from "../../src/core/events/content.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ToolResultMessage,
} from "../../src/core/ports/model-message.ts";
import type { ToolCall } from "../../src/core/events/reply.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.lorem(),
  fc.constant("  \n"),
);
const said = fc.oneof(fc.lorem(), fc.string({ unit: "binary" })).filter((value) => value.trim() !== "");
const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const mediaType = fc.constantFrom("image/png", "image/jpeg", "image/svg+xml", "image/webp");
const blob = fc.nat(5).map((n) => ({ hash: String(n).repeat(64), size: n + 1 }));

const image = fc.record(
  {
    type: fc.constant("image" as const),
    blob,
    mediaType,
    name: text,
    detail: fc.constantFrom("auto", "low", "high", "original"),
  },
  { requiredKeys: ["type", "blob", "mediaType"] },
);

const userPart: fc.Arbitrary<UserPart> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: said }),
  image,
  fc.record(
    { type: fc.constant("resource" as const), uri: fc.webUrl(), mediaType: fc.constant("text/plain"), text },
    { requiredKeys: ["type", "uri", "text"] },
  ),
  fc.record({ type: fc.constant("link" as const), uri: fc.webUrl(), name: text }),
);

const toolContent: fc.Arbitrary<ToolContent> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  image,
  fc.record({ type: fc.constant("diff" as const), path: text, oldText: fc.option(text), newText: text }),
  fc.record({
    type: fc.constant("terminal" as const),
    terminalId: text,
    exitCode: fc.option(fc.nat(255)),
    signal: fc.option(fc.constant("SIGTERM")),
  }),
);

const user: fc.Arbitrary<ModelMessage> = fc.record({
  role: fc.constant("user" as const),
  parts: fc.array(userPart, { minLength: 1, maxLength: 4 }),
});

const call: fc.Arbitrary<Omit<ToolCall, "id">> = fc.record(
  { name, input: fc.dictionary(fc.string(), fc.jsonValue()), malformed: text },
  { requiredKeys: ["name", "input"] },
);

/** One reply, and the results of its calls. */
interface Round {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (Omit<ToolCall, "id"> & {
    readonly content: readonly ToolContent[];
    readonly isError: boolean;
  })[];
}

const round: fc.Arbitrary<Round> = fc
  .record({
    text,
    reasoning: text,
    calls: fc.array(
      fc
        .record({ call, content: fc.array(toolContent, { maxLength: 3 }), isError: fc.boolean() })
        .map(({ call: asked, content, isError }) => ({ ...asked, content, isError })),
      { maxLength: 3 },
    ),
  })
  .map((made) => (made.text.trim() === "" && made.calls.length === 0 ? { ...made, text: "Yes." } : made));

/** Any conversation that the core may hand to a model: legal as `Conversation` promises it, and odd in every other way. */
export const legalConversations: fc.Arbitrary<readonly ModelMessage[]> = fc
  .record({
    first: user,
    rest: fc.array(fc.record({ round, user }), { maxLength: 8 }),
    last: fc.option(round),
  })
  .map(({ first, rest, last }) => {
    const ids = { next: 0 };
    const messages = [first, ...rest.flatMap((turn) => [...messagesOf(turn.round, ids), turn.user])];
    // A request ends with something to answer: a prompt, or results.
    return last === null || last.calls.length === 0 ? messages : [...messages, ...messagesOf(last, ids)];
  });

function messagesOf(made: Round, ids: { next: number }): readonly ModelMessage[] {
  const calls = made.calls.map(({ content: _content, isError: _isError, ...asked }) => ({
    ...asked,
    id: `call_${(ids.next += 1)}`,
  }));
  const reply: AssistantMessage = { role: "assistant", text: made.text, reasoning: made.reasoning, calls };
  const results = made.calls.map(({ content, isError }, place): ToolResultMessage => ({
    callId: calls[place]?.id ?? "",
    name: calls[place]?.name ?? "",
    content,
    isError,
  }));
  return calls.length === 0 ? [reply] : [reply, { role: "tool", results }];
}
