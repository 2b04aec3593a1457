import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";

/** A target of a text: its kind, and a place there when it is not the owner's home. */
export interface DeliveryTarget {
  /** `log`, `local`, `email`, `messenger_1`, … */
  readonly kind: string;
  readonly chatId?: string;
  readonly threadId?: string;
}

/** The places of a kind of target. */
export interface TargetKind {
  /**
   * `home`: it has one, and other chats can be named; `named`: a chat must be named; `none`: there is nothing to choose.
   */
  readonly chat: "home" | "named" | "none";
  /** Its chats have threads. */
  readonly threads: boolean;
  /** Keys of the delivery's extras without which nothing can be sent. */
  readonly needs: readonly string[];
}

/** A kind that has one place. */
export const ONE_PLACE: TargetKind = { chat: "none", threads: false, needs: [] };

/** The keys of a delivery's extras that say something about its target. */
export const EXTRA_KEYS: readonly string[] = [
  "chat_id",
  "thread_id",
  "message_thread_id",
  "repo",
  "pr_number",
];

/** The sources that a list of targets is resolved with. */
export interface TargetSources {
  readonly kinds: ReadonlyMap<string, TargetKind>;
  /** Kinds that have a home, for `all`. */
  readonly homes: () => readonly string[];
  /** Where whatever is delivered came from; `origin` goes there. */
  readonly origin?: DeliveryTarget;
  /** What the delivery says beside its list: `chat_id` and `thread_id` are those of every target that names none. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

const LONGEST_LIST = 20;

/**
 * Reads a comma list of targets: `local`, `origin`, `all`, `email:a@b.org`, `messenger_1`, `messenger_1:<chat>`,
 * `messenger_1:<chat>:<thread>`, `messenger_3:#channel`. Duplicates are taken once; `origin` without one is `local`.
 *
 * @throws HostError `invalid_params` naming the target that cannot be delivered to, or what is said and would be ignored
 */
export function readTargets(text: string, sources: TargetSources): readonly DeliveryTarget[] {
  const targets = new Map<string, DeliveryTarget>();
  const words = text.split(",").map((word) => word.trim());
  if (words.length > LONGEST_LIST)
    throw new HostError("invalid_params", `More than ${LONGEST_LIST} delivery targets.`);
  for (const word of words) {
    if (word === "") continue;
    for (const meant of meantBy(word, sources)) {
      const target = placed(meant, word, sources);
      targets.set([target.kind, target.chatId ?? "", target.threadId ?? ""].join("\n"), target);
    }
  }
  const all = [...targets.values()];
  if (all.length === 0 && text.trim() !== "all") throw invalid("'deliver' names no target.");
  checkExtra(all, sources);
  return all;
}

function meantBy(word: string, { homes, origin }: TargetSources): readonly DeliveryTarget[] {
  if (word === "all") return homes().map((kind) => ({ kind }));
  if (word === "origin") return [origin ?? { kind: "local" }];
  const [kind = "", ...place] = word.split(":");
  if (place.length === 0) return [{ kind: kind.toLowerCase() }];
  const rest = place.join(":");
  // Rooms of an open network carry their server's name behind a colon.
  const whole = /^[!#@][^:]+:[^:.]+\.[^:]+$/.test(rest);
  const chatId = whole ? rest : (place[0] ?? "");
  const threadId = whole ? "" : place.slice(1).join(":");
  if (chatId === "") throw invalid(`The delivery target ${shown(word)} names no chat behind its colon.`);
  return [{ kind: kind.toLowerCase(), chatId, ...defined({ threadId: threadId || undefined }) }];
}

/** The target with the place that the extras say, when it says none itself. */
function placed(target: DeliveryTarget, word: string, { kinds, extra = {} }: TargetSources): DeliveryTarget {
  const { kind } = target;
  const known = kinds.get(kind);
  if (known === undefined) throw unknown(word, kind, [...kinds.keys()]);
  const { chat, threads, needs } = known;
  if (chat === "none" && target.chatId !== undefined)
    throw invalid(`${kind} has one place only: write ${kind} without ${shown(target.chatId)}.`);
  if (!threads && target.threadId !== undefined)
    throw invalid(`${kind} has no threads: write ${kind}:<chat> without ${shown(target.threadId)}.`);
  const missing = needs.find((key) => textOf(extra[key]) === undefined);
  if (missing !== undefined)
    throw invalid(
      `${kind} needs \`${missing}\` in deliver_extra, which routes of webhooks have and jobs have not.`,
    );
  if (chat === "none") return target;
  const { chatId = textOf(extra["chat_id"]), threadId = threadOf(extra) } = target;
  if (chatId === undefined && chat === "named")
    throw invalid(
      `${kind} has no home: set platforms.${kind}.home_channel, or name a chat as ${kind}:<chat>.`,
    );
  return { kind, ...defined({ chatId, threadId: threads ? threadId : undefined }) };
}

/** What is said of a place must be said to somebody. */
function checkExtra(targets: readonly DeliveryTarget[], { kinds, extra = {} }: TargetSources): void {
  const names = targets.map(({ kind }) => kind).join(", ");
  const known = targets.flatMap(({ kind }) => kinds.get(kind) ?? []);
  if (textOf(extra["chat_id"]) !== undefined && known.every(({ chat }) => chat === "none"))
    throw invalid(`deliver_extra.chat_id would be ignored: ${names} has no chats to choose from. Remove it.`);
  if (threadOf(extra) !== undefined && known.every(({ threads }) => !threads))
    throw invalid(`deliver_extra.thread_id would be ignored: ${names} has no threads. Remove it.`);
}

const threadOf = (extra: Readonly<Record<string, unknown>>): string | undefined =>
  textOf(extra["thread_id"]) ?? textOf(extra["message_thread_id"]);

function textOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 80));

function unknown(word: string, kind: string, kinds: readonly string[]): HostError {
  const guess = nearestName(kind, [...kinds, "origin", "all"]);
  const meant = guess === undefined ? "" : ` Did you mean ${guess}?`;
  return invalid(
    `Unknown or disabled delivery target ${shown(word)}.${meant} Targets are local, origin, all, log, email, sms and the platforms that are enabled under \`platforms\` in config.yaml.`,
  );
}

const invalid = (message: string): HostError =>
  new HostError("invalid_params", message, { details: { subject: "deliver" } });
