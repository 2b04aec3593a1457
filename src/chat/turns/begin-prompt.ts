import type { OpenOptions, Session, Submission, UserPart } from "../../core/index.ts";
import { promptText, textPart } from "../../core/index.ts";
import type { LinkedPerson } from "../access/allow-list.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { type InboxEntry, isOver, promptIdOf } from "../inbox/entry.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import { type ChatParts, isOfAnother, memoryScopeOf, originOf, writerOf } from "./chat-parts.ts";
import { hasPrompt } from "./follow-prompt.ts";
import { sessionIfThere } from "./session-if-there.ts";

/** A prompt that is in its session. */
export interface BegunPrompt {
  readonly session: Session;
  readonly entry: InboxEntry;
  /** It went into a turn that was running: that one answers it. */
  readonly steered: boolean;
  /** Its words, as the session has them. */
  readonly words: string;
}

/** The content of a prompt: its words, and what goes with them. */
export interface PromptContent {
  readonly text: string;
  readonly pictures: readonly UserPart[];
  /** What of the message was not taken, in words for its sender; kept with the message. */
  readonly refused: readonly string[];
}

/** The prompt of a message that an earlier process brought into its session; `undefined` when none did. */
export async function begunPrompt(parts: ChatParts, entry: InboxEntry): Promise<BegunPrompt | undefined> {
  const { status, sessionId = "", after = 0 } = entry;
  const session = status === "begun" ? await sessionIfThere(parts, sessionId) : undefined;
  if (session === undefined || !(await hasPrompt(session, promptIdOf(entry), after))) return undefined;
  return { session, entry, steered: false, words: "" };
}

/**
 * Brings a message into its session: where it goes is noted first. One that an earlier process was about to bring there goes to
 * the same, and is not to be there yet. `undefined`: its sender has changed it meanwhile, or taken it back.
 */
export async function beginPrompt(
  parts: ChatParts,
  entry: InboxEntry,
  content: PromptContent,
): Promise<BegunPrompt | undefined> {
  const begun = await noteBegin(parts, entry, content);
  if (begun === undefined) return undefined;
  const { sessionId = "" } = begun;
  const known = await sessionIfThere(parts, sessionId);
  const writer = await writerOf(parts, begun);
  // What is said in a channel is nobody's, whoever pays for it.
  const owner = begun.event.place.kind === "direct" ? writer : undefined;
  const submission = submissionOf(parts, begun, { ...content, writer, owner });
  const user = owner?.id;
  const open: OpenOptions & { id: string } = {
    id: sessionId,
    platform: "chat",
    source: parts.platform.name,
    ...defined({ cwd: parts.settings().workspace, user }),
  };
  const session = known ?? (await openSession(parts, open));
  // A conversation from before they were linked is theirs from here on.
  if (user !== undefined && session.state.user !== user) await session.giveTo(user);
  const { status } = await session.submit(submission).accepted;
  if (writer !== undefined)
    parts.people.noteSeen(writer).catch((thrown: unknown) => parts.report(toHostError(thrown)));
  const words = promptText(submission.parts ?? []);
  return { session, entry: begun, steered: status === "steered", words };
}

async function noteBegin(
  { inbox, ...parts }: ChatParts,
  entry: InboxEntry,
  { refused }: Pick<PromptContent, "refused">,
): Promise<InboxEntry | undefined> {
  const target = entry.status === "begun" ? {} : await targetOf(parts, entry);
  const begun = { status: "begun", refused, ...target } as const;
  const { repeatsMs } = parts.platform.limits;
  const changed = await inbox.change(
    entry.id,
    (now) => (isOver(now) || textOf(now) !== textOf(entry) ? undefined : { ...now, ...begun }),
    { repeatsMs },
  );
  if (changed === undefined) return { ...entry, ...begun };
  return changed.status === "begun" ? changed : undefined;
}

const textOf = ({ event }: InboxEntry): string => (event as IncomingMessage).text;

/** The session of a message's place, and how far it is. */
async function targetOf(
  parts: Pick<ChatParts, "host" | "places" | "people" | "platform">,
  entry: InboxEntry,
): Promise<Pick<InboxEntry, "sessionId" | "after">> {
  const { event, id } = entry;
  const { sessionId } = await parts.places.open(event.place, id);
  const session = await sessionIfThere(parts, sessionId);
  if (session !== undefined && (await isOfAnother(parts, entry, session)))
    return { sessionId: (await parts.places.renew(event.place, id)).sessionId, after: 0 };
  return { sessionId, after: session?.cursor ?? 0 };
}

/** Who writes a message, and whose the conversation is. */
interface Writers {
  readonly writer: LinkedPerson | undefined;
  readonly owner: LinkedPerson | undefined;
}

function submissionOf(
  parts: ChatParts,
  entry: InboxEntry,
  { text, pictures, writer, owner }: PromptContent & Writers,
): Submission {
  const message = { ...(entry.event as IncomingMessage), text };
  return {
    id: promptIdOf(entry),
    parts: [textPart(promptWords(message)), ...pictures],
    from: originOf(parts.platform.name, message.from),
    mode: parts.settings().busyMode,
    ...defined({
      memoryScope: memoryScopeOf(parts.platform.name, entry, owner),
      person: writer && `user:${writer.id}`,
    }),
    questions: { mode: "ask", refuse: { sudo: NO_SECRETS, secret: NO_SECRETS } },
  };
}

const NO_SECRETS = "passwords and secrets are not taken in a chat";

async function openSession({ host }: ChatParts, open: OpenOptions & { id: string }): Promise<Session> {
  try {
    return await host.open(open);
  } catch (thrown) {
    // Another message of the place was faster.
    if (thrown instanceof HostError && thrown.code === "session_exists") return await host.session(open.id);
    throw thrown;
  }
}

/** The words of a prompt: in a channel the model must know who speaks. */
const promptWords = ({ place, from, text }: IncomingMessage): string =>
  place.kind === "direct"
    ? text
    : `[${from.name.replaceAll(/[\p{C}\p{Z}\]]+/gu, " ").slice(0, 80)}]: ${text}`;
