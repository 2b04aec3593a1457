import type { Origin, Services, SessionEvent, SessionState } from "../../core/index.ts";
import type { Images } from "../projection/content-blocks.ts";
import type { UpdateEncoder } from "../projection/update-encoder.ts";
import { Projection } from "../projection/projection.ts";
import type { ConversationUpdate, ProjectedCall } from "../projection/conversation-update.ts";
import type { StatusUpdate } from "../projection/status-update.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { ClientPeer } from "./client-peer.ts";
import { hashesIn, imagesOf } from "../projection/images.ts";
import { Throttle } from "./throttle.ts";

export interface ViewPorts {
  readonly sessionId: string;
  readonly peer: ClientPeer;
  readonly outbox: Outbox;
  readonly services: Services;
  /** This client among all that write to sessions. */
  readonly from: Origin;
  /** Nothing is sent any more once it has aborted. */
  readonly life: AbortSignal;
  /** The client waits for the answer to this prompt. */
  readonly awaits: (promptId: string) => boolean;
}

/** Previews of a running call are sent once in so many milliseconds. */
const PREVIEW_MS = 250;
const NO_IMAGES: Images = new Map();

/** What one client sees of one session: events come in, updates go out, in order. */
export class SessionView {
  readonly #ports: ViewPorts;
  readonly #encoder: UpdateEncoder;
  readonly #previews: Throttle<ConversationUpdate>;
  #projection: Projection;
  #replaying = false;

  /** @param state - where the session stands when the reading of its events begins */
  constructor(ports: ViewPorts, state: SessionState) {
    this.#ports = ports;
    this.#encoder = ports.peer.encoder();
    this.#previews = new Throttle(ports.services.clock, PREVIEW_MS, (shown) => this.post(shown));
    this.#projection = new Projection({ isOwn: (origin) => this.#isOwn(origin), state });
  }

  /** What comes now happened before and is told again. */
  beginReplay(): void {
    this.#replaying = true;
    // Once everything was told again, the client knows what it says by itself.
    this.#projection = new Projection({ isOwn: (origin) => !this.#replaying && this.#isOwn(origin) });
  }

  endReplay(): void {
    this.#replaying = false;
  }

  /** A running call as it was shown first. */
  call(callId: string): ProjectedCall | undefined {
    return this.#projection.call(callId);
  }

  /** Shows an event, unless the client is to hear no more of its turn; gives what there was to show. */
  async show(
    event: SessionEvent,
    { isMuted }: { readonly isMuted: boolean },
  ): Promise<readonly ConversationUpdate[]> {
    const { services } = this.#ports;
    const images = hashesIn(event).length === 0 ? NO_IMAGES : await imagesOf(event, services.store);
    const shown = this.#projection.take(event);
    for (const one of shown) {
      if (!isMuted) this.#showOne(one, images);
      if (one.type === "turn.end") this.close();
    }
    return shown;
  }

  /** Tells the client something that is in no event. */
  post(shown: ConversationUpdate | StatusUpdate, images: Images = NO_IMAGES): void {
    const told = shown.type === "turn.end" && this.#ports.awaits(shown.end.promptId);
    for (const update of this.#encoder.encode(shown, { images, replay: this.#replaying, told }))
      this.#send(update);
  }

  /** The command of a call runs in a terminal of the client's. */
  showClientTerminal(callId: string, terminalId: string): void {
    for (const update of this.#encoder.showClientTerminal(callId, terminalId)) this.#send(update);
  }

  /** Drops previews that were held back. */
  close(): void {
    this.#previews.close();
  }

  #showOne(shown: ConversationUpdate, images: Images): void {
    if (shown.type === "call.end") this.#previews.drop(shown.callId);
    if (shown.type === "call.progress" && !(this.#ports.peer.feeds && shown.output !== undefined))
      return this.#previews.push(shown.callId, shown);
    this.post(shown, images);
  }

  #send(update: object): void {
    const { life, peer, sessionId } = this.#ports;
    if (!life.aborted) peer.update(sessionId, update);
  }

  #isOwn(origin: Origin): boolean {
    const { from, peer } = this.#ports;
    return !peer.echoes && origin.surface === from.surface && origin.client === from.client;
  }
}
