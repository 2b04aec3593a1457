import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** A target of a text: its kind, and a place there when it is not the owner's home. */
export interface DeliveryTarget {
  /** `log`, `local`, `email`, `messenger_1`, … */
  readonly kind: string;
  readonly chatId?: string;
  readonly threadId?: string;
}

/** The sources that a list of targets is resolved with. */
export interface TargetSources {
  /** Kinds that can be delivered to. */
  readonly known: (kind: string) => boolean;
  /** Kinds that have a home, for `all`. */
  readonly homes: () => readonly string[];
  /** Where whatever is delivered came from; `origin` goes there. */
  readonly origin?: DeliveryTarget;
}

const LONGEST_LIST = 20;

/**
 * Reads a comma list of targets: `local`, `origin`, `all`, `email:a@b.org`, `messenger_1`, `messenger_1:<chat>`,
 * `messenger_1:<chat>:<thread>`, `messenger_3:#channel`. Duplicates are taken once; `origin` without one is `local`.
 *
 * @throws HostError `invalid_params` naming the target that cannot be delivered to
 */
export function readTargets(
  text: string,
  { known, homes, origin }: TargetSources,
): readonly DeliveryTarget[] {
  const targets = new Map<string, DeliveryTarget>();
  const words = text.split(",").map((word) => word.trim());
  if (words.length > LONGEST_LIST)
    throw new HostError("invalid_params", `More than ${LONGEST_LIST} delivery targets.`);
  for (const word of words) {
    if (word === "") continue;
    for (const target of meant(word, { homes, origin })) {
      if (!known(target.kind)) throw unknown(word);
      targets.set([target.kind, target.chatId ?? "", target.threadId ?? ""].join("\n"), target);
    }
  }
  if (targets.size === 0 && text.trim() !== "all")
    throw new HostError("invalid_params", "'deliver' names no target.");
  return [...targets.values()];
}

function meant(
  word: string,
  { homes, origin }: { homes: () => readonly string[]; origin: DeliveryTarget | undefined },
): readonly DeliveryTarget[] {
  if (word === "all") return homes().map((kind) => ({ kind }));
  if (word === "origin") return [origin ?? { kind: "local" }];
  const [kind = "", ...place] = word.split(":");
  if (place.length === 0) return [{ kind: kind.toLowerCase() }];
  const rest = place.join(":");
  // Rooms of an open network carry their server's name behind a colon.
  const whole = /^[!#@][^:]+:[^:]+\.[^:]+$/.test(rest);
  const chatId = whole ? rest : (place[0] ?? "");
  const threadId = whole ? "" : place.slice(1).join(":");
  if (chatId === "") throw unknown(word);
  return [{ kind: kind.toLowerCase(), chatId, ...defined({ threadId: threadId || undefined }) }];
}

const unknown = (word: string): HostError =>
  new HostError(
    "invalid_params",
    `Unknown or disabled delivery target ${JSON.stringify(word.slice(0, 80))}. Targets are local, origin, all, log, email, sms and the platforms that are enabled under \`platforms\` in config.yaml.`,
    { details: { subject: "deliver" } },
  );
