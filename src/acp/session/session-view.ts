import type { Origin, Session, SessionEvent, Store } from "../../core/index.ts";
import { type Images, NO_IMAGES } from "../projection/content-blocks.ts";
import type { ConversationUpdate, ProjectedCall } from "../projection/conversation-update.ts";
import { Projection } from "../projection/projection.ts";
import type { ClientUpdate, UpdateEncoder } from "../projection/update-encoder.ts";
import type { ClientContext } from "./client-peer.ts";
import { Throttle } from "./throttle.ts";

interface ViewOptions {
  /** Nothing is sent any more once it has aborted. */
  readonly life: AbortSignal;
  /** Whether the client waits for the answer to this prompt. */
  readonly isPending: (promptId: string) => boolean;
}

/** The updates that an event became. */
type Shown = readonly ConversationUpdate[];

/** Milliseconds between two previews of a running call. */
const PREVIEW_MS = 250;

/** One client's view of one session: events come in, encoded updates go out, in order. */
export class SessionView {
  readonly #sessionId: string;
  readonly #context: ClientContext;
  readonly #options: ViewOptions;
  readonly #encoder: UpdateEncoder;
  readonly #previews: Throttle<ConversationUpdate>;
  #projection: Projection;
  #replaying = false;

  constructor({ id, state }: Session, context: ClientContext, options: ViewOptions) {
    const { host, messages, capabilities } = context;
    this.#sessionId = id;
    this.#context = context;
    this.#options = options;
    this.#encoder = messages.encoder(capabilities);
    this.#previews = new Throttle(host.services.clock, PREVIEW_MS, (preview) => this.post(preview));
    this.#projection = new Projection({ isOwn: (origin) => this.#isOwn(origin), state });
  }

  /** Starts a replay: the events from now on happened before. */
  beginReplay(): void {
    this.#replaying = true;
    // After the replay the client shows its own prompts by itself again.
    this.#projection = new Projection({ isOwn: (origin) => !this.#replaying && this.#isOwn(origin) });
  }

  endReplay(): void {
    this.#replaying = false;
  }

  call(callId: string): ProjectedCall | undefined {
    return this.#projection.call(callId);
  }

  /**
   * Turns an event into updates, and sends them unless the client is to hear no more of its turn. Only images take time: a
   * promise for each of thousands of events that have none would cost more than they do.
   */
  show(event: SessionEvent, { isMuted }: { readonly isMuted: boolean }): Shown | Promise<Shown> {
    const updates = this.#projection.take(event);
    if (updates.length === 0) return updates;
    if (!isMuted && updates.some((update) => imageHashes(update).length > 0))
      return this.#withImages(updates);
    for (const update of updates) {
      if (!isMuted) this.#showOne(update, NO_IMAGES);
      if (update.type === "turn.end") this.close();
    }
    return updates;
  }

  async #withImages(updates: Shown): Promise<Shown> {
    const { store } = this.#context.host.services;
    for (const update of updates) {
      this.#showOne(update, await imagesInBase64(imageHashes(update), store));
      if (update.type === "turn.end") this.close();
    }
    return updates;
  }

  /** Sends an update, also one that comes from no event. */
  post(update: ClientUpdate, images: Images = NO_IMAGES): void {
    const isAnswered = update.type === "turn.end" && this.#options.isPending(update.end.promptId);
    const context = { images, replay: this.#replaying, isAnswered };
    for (const encoded of this.#encoder.encode(update, context)) this.#send(encoded);
  }

  /** Shows that the command of a call runs in a terminal of the client's. */
  showClientTerminal(callId: string, terminalId: string): void {
    for (const encoded of this.#encoder.showClientTerminal(callId, terminalId)) this.#send(encoded);
  }

  /** Drops previews that were held back. */
  close(): void {
    this.#previews.close();
  }

  #showOne(update: ConversationUpdate, images: Images): void {
    if (update.type === "call.end") this.#previews.drop(update.callId);
    const isPreview =
      update.type === "call.progress" &&
      !(this.#context.capabilities.terminalOutput && update.output !== undefined);
    if (isPreview) this.#previews.push(update.callId, update);
    else this.post(update, images);
  }

  #send(encoded: object): void {
    if (this.#options.life.aborted) return;
    const params = { sessionId: this.#sessionId, update: encoded };
    this.#context.writer.post({ jsonrpc: "2.0", method: "session/update", params });
  }

  #isOwn(origin: Origin): boolean {
    const { from, messages } = this.#context;
    return !messages.echoesPrompts && origin.surface === from.surface && origin.client === from.client;
  }
}

const NONE: readonly never[] = [];

/** The hashes of an update's images. Most updates have none, and need not wait for the store. */
function imageHashes(update: ConversationUpdate): readonly string[] {
  const parts = "parts" in update ? update.parts : "content" in update ? update.content : NONE;
  return parts.length === 0 ? NONE : parts.flatMap((part) => (part.type === "image" ? [part.blob.hash] : []));
}

/** Loads images from the store; an image that is gone is left out, and its block says so. */
async function imagesInBase64(hashes: readonly string[], store: Store): Promise<Images> {
  const images = new Map<string, string>();
  for (const hash of hashes) {
    try {
      images.set(hash, Buffer.from(await store.getBlob(hash)).toString("base64"));
    } catch {
      // The block says that the image is gone.
    }
  }
  return images;
}
