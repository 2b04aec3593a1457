import { useCallback, useEffect, useState } from "react";
import { RequestRefused } from "../client/dashboard-api.ts";
import { ask, askingUntil, type ConversationViewWire, mayPass, wordsOf } from "./ask.ts";
import { closeNotifications } from "./forget.ts";
import {
  after,
  type Conversation,
  type ConversationEvent,
  EVENT_NAMES,
  loaded,
  withOlder,
} from "./conversation.ts";

/** A conversation that is followed. */
interface Followed {
  readonly conversation: Conversation | undefined;
  /** Why it is not followed now; it will be. */
  readonly cut: string | undefined;
  /** Why it cannot be shown. */
  readonly error: Error | undefined;
  readonly loadOlder: () => Promise<void>;
}

const RETRY_MS = 2000;
const NO_LINE = "No connection. What you write is sent as soon as there is one.";

/** Shows a conversation, if it is there, and follows it for as long as it is shown: from where it was, after every cut. */
export function useConversation(id: string | undefined): Followed {
  const [conversation, set] = useState<Conversation>();
  const [cut, setCut] = useState<string>();
  const [error, setError] = useState<Error>();
  const stale = conversation?.stale === true;

  useEffect(() => {
    if (id === undefined) return undefined;
    const follower = new Follower(id, { change: set, cut: setCut, failed: setError });
    follower.start();
    return () => follower.stop();
  }, [id, stale]);

  useReadMark(id, conversation);
  const before = conversation?.before;
  const loadOlder = useCallback(async () => {
    if (before === undefined || id === undefined) return;
    const view = await ask<ConversationViewWire>("GET", `${path(id)}?before=${before}`);
    set((known) => (known?.before === before ? withOlder(known, view) : known));
  }, [id, before]);
  return { conversation, cut, error, loadOlder };
}

/** Notes how far it was seen, once no answer is being written. */
function useReadMark(id: string | undefined, conversation: Conversation | undefined): void {
  const seq = conversation?.turn === undefined ? (conversation?.seq ?? 0) : 0;
  useEffect(() => {
    if (id === undefined) return undefined;
    const note = (): void => {
      if (document.hidden || seq === 0) return;
      // What is not noted is told once more at worst.
      ask("POST", `${path(id)}/read`, { seq }).catch(() => undefined);
      closeNotifications(id).catch(() => undefined);
    };
    note();
    document.addEventListener("visibilitychange", note);
    return () => document.removeEventListener("visibilitychange", note);
  }, [id, seq]);
}

const path = (id: string): string => `/conversations/${encodeURIComponent(id)}`;

interface FollowerPorts {
  readonly change: (change: (known: Conversation | undefined) => Conversation | undefined) => void;
  readonly cut: (why: string | undefined) => void;
  readonly failed: (error: Error | undefined) => void;
}

/** The reader of one conversation. */
class Follower {
  readonly #id: string;
  readonly #ports: FollowerPorts;
  readonly #life = new AbortController();
  /** Of what is read now: a conversation, then its events, or the wait for the next try. */
  #reading = new AbortController();
  #seq = 0;
  #isLoaded = false;

  constructor(id: string, ports: FollowerPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  start(): void {
    const { signal } = this.#life;
    const again = (): void => this.#connect();
    // A phone that slept, or changed its network, has a connection that is dead without knowing it.
    addEventListener("online", again, { signal });
    addEventListener("offline", () => this.#ports.cut(NO_LINE), { signal });
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#rest() : again()), {
      signal,
    });
    this.#connect();
  }

  stop(): void {
    this.#life.abort();
    this.#rest();
  }

  /** Reads nothing while nobody looks: the server tells the device then that there is something new. */
  #rest(): void {
    this.#reading.abort();
  }

  #connect(): void {
    this.#rest();
    if (document.hidden) return;
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    if (this.#isLoaded) this.#follow(signal);
    else void this.#load(signal);
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      const view = await askingUntil(signal)<ConversationViewWire>("GET", path(this.#id));
      if (signal.aborted) return;
      const { damaged } = view.conversation;
      this.#isLoaded = !damaged;
      this.#seq = view.after;
      this.#ports.failed(undefined);
      this.#ports.change(() => loaded(view));
      // Nothing comes to what is damaged.
      if (damaged) this.#ports.cut(undefined);
      else this.#follow(signal);
    } catch (thrown) {
      if (!signal.aborted) this.#failed(thrown, signal);
    }
  }

  #failed(thrown: unknown, signal: AbortSignal): void {
    const answer = thrown instanceof RequestRefused ? thrown : undefined;
    if (answer !== undefined && !mayPass(answer)) return this.#ports.failed(answer);
    // Without a code it is of something before the server, which is not reached then.
    this.#ports.cut(answer?.code === undefined ? NO_LINE : wordsOf(answer));
    this.#later(signal);
  }

  #follow(signal: AbortSignal): void {
    const source = new EventSource(`/app/api${path(this.#id)}/events?after=${this.#seq}`);
    signal.addEventListener("abort", () => source.close(), { once: true });
    source.addEventListener("open", () => this.#ports.cut(undefined));
    source.addEventListener("error", () => {
      this.#ports.cut(NO_LINE);
      // It comes back by itself, unless the server refused.
      if (source.readyState !== EventSource.CLOSED) return;
      // Why, the answer to another question says.
      this.#isLoaded = false;
      this.#later(signal);
    });
    for (const type of EVENT_NAMES)
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        // The server writes them as this type says.
        const event = { type, ...(JSON.parse(data) as object) } as ConversationEvent;
        this.#seq = Math.max(this.#seq, event.seq);
        this.#ports.change((known) => known && after(known, event));
      });
  }

  #later(signal: AbortSignal): void {
    const timer = setTimeout(() => this.#connect(), RETRY_MS);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  }
}
