import { createHash } from "node:crypto";
import { RecordSpace } from "../../automation/work/record-space.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, type Records, type Services, type Session, type UserPart } from "../../core/index.ts";
import type { OwnConversations } from "./own-conversations.ts";

/** The parts of what is kept of sent prompts. */
export interface SentPromptParts {
  readonly records: Records;
  readonly services: Pick<Services, "clock">;
  /** Whose memory a member's prompts read and write; the owner's when it is none. */
  readonly scopeOf: (user: string) => Promise<string | undefined>;
}

/** A prompt as a device sends it. */
export interface MemberPrompt {
  readonly user: string;
  readonly own: OwnConversations;
  /** The device's own id for it: sent again, it is the same prompt. */
  readonly clientId: string;
  /** A new conversation when it is absent. */
  readonly conversationId: string | undefined;
  /** Stores what is sent, once. */
  readonly parts: () => Promise<readonly UserPart[]>;
  /** What was sent, to be told apart from something else under the same id. */
  readonly fingerprint: string;
}

/** The place of a prompt that was taken. */
export interface TakenPrompt {
  readonly conversationId: string;
  readonly promptId: string;
}

interface Sent extends TakenPrompt {
  readonly key: string;
  readonly fingerprint: string;
  /** The cursor before anything of it. */
  readonly after: number;
  readonly taken: boolean;
  readonly at: number;
}

/** Longer than a phone is likely to be without a connection, in milliseconds. */
const KEPT = 30 * 24 * 3_600_000;

/**
 * Prompts that were sent, so that each is taken once, however often a device on a bad line sends it, and whatever process
 * died in between.
 */
export class SentPrompts {
  readonly #parts: SentPromptParts;
  readonly #space: RecordSpace<Sent>;
  readonly #running = new Map<string, Promise<TakenPrompt>>();

  constructor(parts: SentPromptParts) {
    this.#parts = parts;
    this.#space = new RecordSpace<Sent>(parts.records, {
      space: "app.prompts",
      name: "Prompt",
      encode: (value) => ({
        space: "app.prompts",
        key: value.key,
        value: JSON.stringify(value),
        expiresAt: value.at + KEPT,
      }),
    });
  }

  /** @throws HostError `conflict` for another prompt under the same id, `session_not_found`, `invalid_params` */
  send(prompt: MemberPrompt): Promise<TakenPrompt> {
    const key = keyOf(prompt);
    // The same one at the same time: after the first it is known.
    const before = this.#running.get(key)?.catch(() => undefined) ?? Promise.resolve(undefined);
    const running = before.then(() => this.#send(key, prompt));
    this.#running.set(key, running);
    const forget = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    running.then(forget, forget);
    return running;
  }

  async #send(key: string, prompt: MemberPrompt): Promise<TakenPrompt> {
    const sent = (await this.#space.get(key)) ?? (await this.#begin(key, prompt));
    if (sent.fingerprint !== prompt.fingerprint)
      throw new HostError("conflict", "Something else was sent under this id before.");
    const taken = { conversationId: sent.conversationId, promptId: sent.promptId };
    if (sent.taken) return taken;
    const session = await prompt.own.session(sent.conversationId);
    if (!(await isIn(session, sent))) await this.#submit(session, sent, prompt);
    await this.#space.change(key, (each) => ({ ...each, taken: true }));
    return taken;
  }

  /** Notes where it will be before it is there: whoever finds the note can look. */
  async #begin(key: string, { own, clientId, conversationId, fingerprint }: MemberPrompt): Promise<Sent> {
    const { services } = this.#parts;
    const session = conversationId === undefined ? await own.open() : await own.session(conversationId);
    const { seq: after } = await session.refresh();
    const sent: Sent = {
      key,
      fingerprint,
      conversationId: session.id,
      // The device knows it before it hears of it: what it follows may come sooner than this answer.
      promptId: `prompt_${clientId}`,
      after,
      taken: false,
      at: services.clock.now(),
    };
    await this.#space.add(sent);
    return (await this.#space.get(key)) ?? sent;
  }

  async #submit(session: Session, { promptId }: Sent, { user, parts }: MemberPrompt): Promise<void> {
    const turn = session.submit({
      id: promptId,
      parts: await parts(),
      from: { surface: "app", client: user },
      questions: { mode: "ask", refuse: { sudo: NOT_HERE, secret: NOT_HERE } },
      mode: "queue",
      ...defined({ memoryScope: await this.#parts.scopeOf(user) }),
    });
    await turn.accepted;
  }
}

const NOT_HERE = "the app takes no passwords and no secrets; go on without, and say what you would need";

async function isIn(session: Session, { after, promptId }: Sent): Promise<boolean> {
  for await (const event of session.events({ after, follow: false })) {
    const isIt = event.type === "turn.start" || event.type === "prompt.queued";
    if (isIt && event.prompt.id === promptId) return true;
  }
  return false;
}

const keyOf = ({ user, clientId }: MemberPrompt): string =>
  createHash("sha256").update(`${user} ${clientId}`).digest("base64url");
