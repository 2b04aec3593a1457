import type { ApprovalRequest, RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { releaseClaims } from "../inbox/release-claims.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { SentPart } from "../inbox/entry.ts";
import type { ChatPlace } from "../port/place.ts";

/** An approval that a conversation asks for, and where it was asked. */
export interface AskedApproval {
  readonly request: ApprovalRequest;
  readonly sessionId: string;
  /** The own name of the platform on which it was asked. */
  readonly platform: string;
  readonly place: ChatPlace;
  /** Who asked for the work, and where, in words. */
  readonly origin: string;
}

/** The card of an approval in the place where a platform shows those of all conversations. */
export interface ApprovalCard extends Pick<AskedApproval, "request" | "sessionId" | "origin"> {
  readonly chatId: string;
  readonly part?: SentPart;
  /** The message that says what was decided, on platforms where cards cannot be changed. */
  readonly closing?: SentPart;
  /** It says what was decided, or cannot be shown. */
  readonly over?: true;
}

/** A card that nobody shows, and one that is over, is kept for so long. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** The cards of one platform, as records: each is shown by the process that is connected to it. */
export class ApprovalCards {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #space: string;

  constructor(records: Records, clock: Clock, platform: string) {
    this.#records = records;
    this.#clock = clock;
    this.#space = `chat.approval.${platform}`;
  }

  /** Adds a card, once for each approval; durable when it resolves. */
  async add(card: ApprovalCard): Promise<void> {
    // Pictures of the change are not shown in chats.
    const { content: _content, locations: _locations, ...request } = card.request;
    await this.#records.add({ ...this.#draft({ ...card, request }), dueAt: this.#clock.now() });
  }

  async get(requestId: string): Promise<ApprovalCard | undefined> {
    const record = await this.#records.get(this.#space, requestId);
    return record && cardOf(record);
  }

  /** Lets go of the cards that this host works on; nothing of them may be in flight any more. */
  release(hostId: string): Promise<void> {
    return releaseClaims(this.#records, this.#space, hostId);
  }

  /** Claims cards that are not over and that no living process shows. */
  async claimDue(limit: number): Promise<readonly ApprovalCard[]> {
    return (await this.#records.claimDue(this.#space, limit)).map(cardOf);
  }

  /** Writes a card, which this process goes on showing unless it is over. */
  async note(card: ApprovalCard): Promise<void> {
    const draft = this.#draft(card);
    await this.#records.put(card.over === true ? draft : { ...draft, dueAt: this.#clock.now(), claim: true });
  }

  #draft(card: ApprovalCard): RecordDraft {
    const expiresAt = this.#clock.now() + KEPT_MS;
    return { space: this.#space, key: card.request.requestId, value: JSON.stringify(card), expiresAt };
  }
}

// Only this file writes this space.
const cardOf = ({ value }: StoredRecord): ApprovalCard => JSON.parse(value) as ApprovalCard;
