import {
  type Account,
  CHAT_PLATFORMS,
  type ChatPlatform,
  type WebhookAnswer,
  type WebhookRequest,
} from "../../../src/chat/index.ts";
import type { ChatHistory } from "./chat-history.ts";
import type { FaultRates } from "./faults.ts";

/** The options that every fake platform takes. */
export interface FakeOptions {
  readonly faults?: FaultRates;
  /** Polls that find nothing are held as long as they ask for, as the real platform does; they end soon by default. */
  readonly patient?: boolean;
  /** Called for each request of the bot before it is carried out (`before`), and when it was answered (`after`). */
  readonly onRequest?: (method: string, when: "before" | "after") => void;
}

/** A way to post an event to `/webhooks/<platform>`; rejects when nobody listens there. */
export type PostEvent = (request: WebhookRequest) => Promise<Pick<WebhookAnswer, "status">>;

/** A file as people send it or get it. */
export interface FakeFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A fake of a platform's real API over real HTTP or WebSocket, as the common tests use it. People are counted from 1. */
export interface FakePlatform extends AsyncDisposable {
  readonly history: ChatHistory;
  /** Where and with what its one bot is connected. */
  readonly account: Pick<Account, "baseUrl" | "secrets"> & Partial<Account>;
  /** Its block in `config.yaml`, where it says more than its address and `from`. */
  readonly block?: Readonly<Record<string, unknown>> & { readonly extra?: Readonly<Record<string, unknown>> };
  /** The same for a process: variables of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Says where the platform posts its events, from now on and until each is taken. Absent where the bot connects to it. */
  readonly postTo?: (post: PostEvent) => void;
  /**
   * Resolves when somebody listens. Absent where the platform keeps what is said before: where it is there, people greet the bot
   * before anything else, for it can only read back what was said in places that it knows.
   */
  readonly listened?: () => Promise<void>;
  /** How often the bot has connected; there where the platform forgets what it has handed over. */
  readonly timesConnected?: number;
  /** Events that the bot has not acknowledged. */
  readonly unconfirmed: number;
  /** A person writes to the bot directly; gives the name of the place in the history. */
  say(person: number, text: string): string;
  /** A person writes and adds a file, where both fit into a message; gives the name of the place in the history. */
  sayWithFile?(person: number, text: string, file: FakeFile): string;
  /** The same person mentions the bot in a thread of a channel, one thread for each number. */
  sayInThread(thread: number, text: string): string;
}

/** A platform with all that the common tests need. */
export interface ProvedPlatform {
  readonly platform: ChatPlatform;
  /** It forgets what it has handed over: what comes while no process is there is lost, and is not tested. */
  readonly forgets?: true;
  /** It pushes what is not acknowledged again, to whoever connects next. */
  readonly redelivers?: true;
  /** It stands for all with its kind of `resend`, and is killed more than once in `npm test` too. */
  readonly often?: true;
  readonly start: (options?: FakeOptions) => Promise<FakePlatform>;
  /** A request to `/webhooks/<platform>` with a message, signed with this secret; absent where there are none. */
  readonly signed?: (secret: string, text: string) => WebhookRequest;
  /** The settings of an account in `mode: webhook`, and the secret that its requests are signed with. */
  readonly webhook?: { readonly account: Partial<Account>; readonly secret: string };
}

/** The platform of a name, with its real bounds. */
export function platformNamed(wanted: string): ChatPlatform {
  const found = CHAT_PLATFORMS.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`There is no ${wanted}.`);
  return found;
}

/** A platform as fast as its fake is: the bounds of the real one are tested by themselves. */
export function quick(platform: ChatPlatform): ChatPlatform {
  const rate = { burst: 1000, perSecond: 10_000 };
  return {
    ...platform,
    limits: { ...platform.limits, direct: rate, channel: rate, bot: rate, editEveryMs: 20, typingMs: 1000 },
  };
}
