import type { OpenOptions, Session, Submission, UserPart } from "../../core/index.ts";
import { promptText, textPart } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { type InboxEntry, promptIdOf } from "../inbox/entry.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import { type ChatParts, memoryScopeOf, originOf } from "./chat-parts.ts";
import { hasPrompt } from "./follow-prompt.ts";

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
  /** Pictures and files. */
  readonly files: readonly UserPart[];
}

/**
 * Brings a message into its session, once, however often this is done: where it goes is noted first, and the log is
 * asked before it is sent again.
 */
export async function beginPrompt(
  parts: ChatParts,
  entry: InboxEntry,
  content: PromptContent,
): Promise<BegunPrompt> {
  const begun = entry.status === "begun" ? entry : await noteBegin(parts, entry);
  const { sessionId = "", after = 0 } = begun;
  const promptId = promptIdOf(begun);
  const known = await sessionIfThere(parts, sessionId);
  if (known !== undefined && entry.status === "begun" && (await hasPrompt(known, promptId, after)))
    return { session: known, entry: begun, steered: false, words: "" };
  const submission = submissionOf(parts, begun, content);
  const open: OpenOptions & { id: string } = {
    id: sessionId,
    platform: "chat",
    source: parts.platform.name,
    ...defined({ cwd: parts.settings().workspace }),
  };
  const session = known ?? (await openSession(parts, open));
  const { status } = await session.submit(submission).accepted;
  const words = promptText(submission.parts ?? []);
  return { session, entry: begun, steered: status === "steered", words };
}

async function noteBegin(parts: ChatParts, entry: InboxEntry): Promise<InboxEntry> {
  const { places, inbox, platform } = parts;
  const { sessionId } = await places.open(entry.event.place, entry.id);
  const session = await sessionIfThere(parts, sessionId);
  await session?.refresh();
  const begun = { status: "begun", sessionId, after: session?.cursor ?? 0 } as const;
  const { repeatsMs } = platform.limits;
  return (
    (await inbox.change(entry.id, (now) => ({ ...now, ...begun }), { repeatsMs })) ?? { ...entry, ...begun }
  );
}

function submissionOf(parts: ChatParts, entry: InboxEntry, { text, files }: PromptContent): Submission {
  const message = { ...(entry.event as IncomingMessage), text };
  return {
    id: promptIdOf(entry),
    parts: [textPart(promptWords(message)), ...files],
    from: originOf(parts.platform.name, message.from),
    mode: parts.settings().busyMode,
    memoryScope: memoryScopeOf(parts.platform.name, entry),
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

async function sessionIfThere({ host }: ChatParts, id: string): Promise<Session | undefined> {
  try {
    return await host.session(id);
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === "session_not_found") return undefined;
    throw thrown;
  }
}

/** The words of a prompt: in a channel the model must know who speaks. */
const promptWords = ({ place, from, text }: IncomingMessage): string =>
  place.kind === "direct" ? text : `[${from.name.replaceAll(/[\n\]]/g, " ").slice(0, 80)}]: ${text}`;
