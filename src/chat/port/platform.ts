import type { HostError } from "../../shared/errors/host-error.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { MessageRoom } from "../../providers/delivery/index.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Channel } from "./channel.ts";
import type { OpenStream } from "./byte-stream.ts";
import type { ChannelFetch, OpenSocket } from "./transport.ts";

export type { Capabilities } from "./capabilities.ts";

/** A rate: `burst` at once, then `perSecond`. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
  /** What a process has when it starts; the processes before it may have spent theirs. Nothing by default. */
  readonly atStart?: number;
}

/** The bounds of a platform, from its documentation. Sends, edits and typing all count. */
export interface Limits extends MessageRoom {
  /** To one person. */
  readonly direct: Rate;
  /** To one channel. */
  readonly channel: Rate;
  /** Of the bot as a whole. */
  readonly bot: Rate;
  /** Milliseconds between two edits of a message that streams. */
  readonly editEveryMs: number;
  /** Changes that one message may have; any number when absent. The last one is kept for the end of an answer. */
  readonly mostEdits?: number;
  /** Milliseconds that a sign of typing lasts. */
  readonly typingMs: number;
  /** Milliseconds of silence after which a connection counts as lost. */
  readonly silenceMs: number;
  /** Milliseconds for which the platform may send an event again. */
  readonly repeatsMs: number;
  /**
   * Milliseconds for which the platform knows `once` again, where `resend` is `same`: what is sent again later says so. For
   * ever when absent.
   */
  readonly sameMs?: number;
  /** Bytes of a file that can be got. */
  readonly fileIn: number;
  /** Bytes of a file that can be sent. */
  readonly fileOut: number;
}

/** A secret without which a platform stays off. */
export interface PlatformSecret {
  /** Its name in `Account.secrets`. */
  readonly name: string;
  /** The variable of the environment that holds it. */
  readonly variable: string;
  /** What it is and where to get it, in a sentence. */
  readonly about: string;
  /** Needed only where the owner names a user of the server. */
  readonly withUser?: boolean;
  /** Needed for webhooks only. */
  readonly webhookOnly?: boolean;
  /** Needed for a connection of ours only. */
  readonly connectionOnly?: boolean;
}

/** An account on a platform, as the configuration says. */
export interface Account {
  /** Without a slash at its end; `smtp://host:port`, or `smtps:`, for mail. */
  readonly baseUrl: string;
  /** The user of the server, where it asks for one. */
  readonly user?: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** The sender's number or id, for platforms on which one account has several. */
  readonly from?: string;
  /** How events come: through a connection of ours, or by requests to `/webhooks/<platform>`. */
  readonly mode: "connection" | "webhook";
  /** The platform's own settings: its block's `extra`. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Small durable notes of a channel, such as where it stopped reading; each stays until it expires. */
export interface ChannelNotes {
  /** The notes that were written last, at most 1,000, by key. */
  all(): Promise<ReadonlyMap<string, string>>;
  /** Writes a note. @param expiresAt - Unix milliseconds from which it is not there any more */
  put(key: string, value: string, expiresAt: number): Promise<void>;
}

/** The outside of a channel. There is no other way to the network, the disk, the clock or chance. */
export interface ChannelPorts {
  readonly fetch: ChannelFetch;
  readonly socket: OpenSocket;
  /** To servers that the owner configured, for what is no HTTP. */
  readonly connect: OpenStream;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly notes: ChannelNotes;
  /** Tells the operator of what nobody waits for. */
  readonly report: (error: HostError) => void;
}

/** A chat platform: what is known of it before anything of it is loaded. */
export interface ChatPlatform {
  /** The interface's name, such as `messenger_1`. */
  readonly kind: string;
  /** Its own name, which is its key under `platforms` and in `/webhooks/<name>`. */
  readonly name: string;
  /** Its name as people write it. */
  readonly title: string;
  /** Its public API; the owner must say it when absent. */
  readonly baseUrl?: string;
  /** Its server speaks this instead of HTTP; `host` and `port` of its block say where it is. */
  readonly server?: "smtp";
  readonly secrets: readonly PlatformSecret[];
  /** What `from` is and where to find it, in a sentence, where one account has several numbers; the owner must say it then. */
  readonly from?: string;
  /** How events come unless the owner says otherwise. */
  readonly mode: Account["mode"];
  readonly capabilities: Capabilities;
  readonly limits: Limits;
  /** Which of its own settings is missing for people to write there, in a sentence; `undefined` when none is. */
  missingToReceive?(extra: Account["extra"]): string | undefined;
  /** Makes the channel of an account; its code is loaded now. @throws HostError `config_invalid` */
  open(account: Account, ports: ChannelPorts): Promise<Channel>;
}
