import {
  promptText,
  type Prompt,
  type QuestionRequest,
  type SessionRecord,
  type TranscriptEntry,
  type UserPart,
} from "../../core/index.ts";
import { z } from "zod";
import { isUnread } from "./read-marks.ts";
import { defined } from "../../shared/json/defined.ts";
import { whyEnded } from "./end-words.ts";

const Image = z.object({ hash: z.string(), media_type: z.string() });

/** A conversation as lists show it. */
export const ConversationWire = z
  .object({
    id: z.string(),
    /** The first words of its first message until it has one. */
    title: z.string(),
    /** What was said last, in one line; in a conversation that is opened, it is empty. */
    preview: z.string(),
    active_at: z.number().describe("Unix seconds"),
    /** A turn runs. */
    working: z.boolean(),
    /** A question waits for the member. */
    asks: z.boolean(),
    /** The newest answer was seen on no device. */
    unread: z.boolean(),
    /** It cannot be read whole, and takes nothing more. */
    damaged: z.boolean(),
  })
  .meta({ title: "Conversation" });

/** A page of conversations. */
export const ConversationPage = z
  .object({ data: z.array(ConversationWire), next: z.string().exactOptional() })
  .meta({ title: "ConversationPage" });

/** A question to the member, or one for an operator. */
export const QuestionWire = z
  .object({
    id: z.string(),
    kind: z.enum(["question", "operator"]),
    text: z.string(),
    choices: z.array(z.string()),
  })
  .meta({ title: "Question" });

/** One message of a conversation. */
export const AppMessage = z
  .object({
    /** The cursor after it. */
    seq: z.number(),
    at: z.number().describe("Unix seconds"),
    from: z.enum(["member", "agent", "tool", "end"]),
    text: z.string(),
    /** Of the member's own: the prompt's id. */
    id: z.string().exactOptional(),
    images: z.array(Image).exactOptional(),
    /** Of a tool: how it ended. */
    outcome: z.string().exactOptional(),
  })
  .meta({ title: "Message" });
/** One message of a conversation. */
export type AppMessage = z.output<typeof AppMessage>;

/** A conversation with its newest messages, and where its events go on. */
export const ConversationView = z
  .object({
    conversation: ConversationWire,
    messages: z.array(AppMessage),
    questions: z.array(QuestionWire),
    /** Prompts that wait for their turn. */
    queued: z.array(AppMessage),
    /** Pass it as `before` for older messages; absent at the beginning. */
    before: z.number().exactOptional(),
    /** Follow the events after it: what runs is in them from its beginning. */
    after: z.number(),
  })
  .meta({ title: "ConversationView" });

const LONGEST_TITLE = 100;

/** @param seen.seq - the cursor up to which its member has seen it; @param seen.newest - what was said last */
export function encodeConversation(
  { id, state, owner, damaged }: SessionRecord,
  { seq, newest }: { readonly seq: number; readonly newest: string },
): z.output<typeof ConversationWire> {
  return {
    id,
    title: state.title || state.preview.slice(0, LONGEST_TITLE),
    preview: newest,
    active_at: state.activeAt / 1000,
    working: !damaged && state.turn !== undefined && owner?.alive === true,
    asks: !damaged && state.questions.some(({ request }) => request.type === "clarify.request"),
    unread: isUnread(state, seq),
    damaged,
  };
}

const imagesOf = (parts: readonly UserPart[]): z.output<typeof Image>[] =>
  parts.flatMap((part) =>
    part.type === "image" ? [{ hash: part.blob.hash, media_type: part.mediaType }] : [],
  );

/** Writes a prompt as its sender's message. */
export function encodeOwnMessage(
  { id, parts }: Pick<Prompt, "id" | "parts">,
  { seq, at }: { readonly seq: number; readonly at: number },
): AppMessage {
  const images = imagesOf(parts);
  const message = { seq, at: at / 1000, from: "member", id, text: promptText(parts) } as const;
  return images.length === 0 ? message : { ...message, images };
}

/** Writes an entry of a transcript; what the member has no use for is left out. */
export function encodeEntry(entry: TranscriptEntry): readonly AppMessage[] {
  const { seq } = entry;
  const at = entry.at / 1000;
  switch (entry.role) {
    case "user":
      return [encodeOwnMessage(entry.prompt, entry)];
    case "steer":
      return [{ seq, at, from: "member", text: entry.text }];
    case "assistant":
      return entry.text === "" ? [] : [{ seq, at, from: "agent", text: entry.text }];
    case "tool":
      return [{ seq, at, from: "tool", text: entry.label, outcome: entry.outcome }];
    case "end":
      return [{ seq, at, from: "end", text: whyEnded(entry), outcome: entry.outcome }];
    case "summary":
      return [];
  }
}

/** Writes a question; what only an operator may decide is no more than announced. */
export function encodeQuestion(request: QuestionRequest): z.output<typeof QuestionWire> {
  const { requestId: id } = request;
  if (request.type === "clarify.request")
    return { id, kind: "question", text: request.question, choices: [...request.choices] };
  return { id, kind: "operator", text: "This waits for an operator's permission.", choices: [] };
}

/** Writes the questions and the queue of a session. To one that is damaged no answer can be given. */
export const encodeWaiting = ({ damaged, state: { questions, queue, seq } }: SessionRecord) => ({
  questions: (damaged ? [] : questions).map(({ request }) => encodeQuestion(request)),
  queued: queue.map(({ prompt, queuedAt: at }) => encodeOwnMessage(prompt, { seq, at })),
});

/** The cursor of a list: the place of its last conversation. */
export const encodePlace = ({ id, state }: SessionRecord): string => `${state.activeAt}.${id}`;

/** Reads such a cursor; `undefined` for anything else. */
export function decodePlace(text: string | undefined) {
  const [, activeAt, id] = /^(\d{1,15})\.(.{1,256})$/.exec(text ?? "") ?? [];
  return defined({ below: id === undefined ? undefined : { activeAt: Number(activeAt), id } });
}
