import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import { defined } from "../../shared/json/defined.ts";
import type { ChannelAnswer } from "./transport.ts";

/** A refusal as a platform words it. */
export interface Refusal {
  /** Its name, for the message: `telegram`. */
  readonly platform: string;
  readonly status: number;
  readonly message: string;
  /** Milliseconds that it asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The body of an answer, as JSON. A success that cannot be read may have been carried out.
 *
 * @throws HostError `delivery_failed`
 */
export function jsonValue(platform: string, { status, bytes }: ChannelAnswer): unknown {
  try {
    return parseForeignJson(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw unreadable(platform, status, cause);
  }
}

/** The same, where it has to be an object. */
export function jsonBody(platform: string, answer: ChannelAnswer): Record<string, unknown> {
  const body = jsonValue(platform, answer);
  if (isJsonObject(body)) return body;
  throw unreadable(platform, answer.status);
}

const unreadable = (platform: string, status: number, cause?: unknown): HostError =>
  new HostError("delivery_failed", `${platform}: an answer (status ${status}) could not be read.`, {
    ...defined({ cause }),
    details: defined({ status, uncertain: status < 300 || status >= 500 ? (true as const) : undefined }),
  });

/** The error that a refusal is, by its status, as `Channel` wants it. */
export function refusalError({ platform, status, message, retryAfterMs }: Refusal): HostError {
  const text = `${platform}: ${message.slice(0, 300)}`;
  if (status === 429 || retryAfterMs !== undefined)
    return new HostError("delivery_failed", text, {
      details: { status, retryAfterMs: retryAfterMs ?? DEFAULT_WAIT_MS },
    });
  if (status >= 500) return new HostError("delivery_failed", text, { details: { status, uncertain: true } });
  if (status === 401) return new HostError("unauthorized", text, { details: { status } });
  if (status === 404 || status === 410) return new HostError("not_found", text, { details: { status } });
  return new HostError("invalid_params", text, { details: { status } });
}

const DEFAULT_WAIT_MS = 5000;

/** Milliseconds that a `Retry-After` asks to wait. */
export function retryAfterMs(value: string | undefined): number | undefined {
  const seconds = Number(value);
  return value !== undefined && Number.isFinite(seconds) && seconds >= 0 ? 1000 * seconds : undefined;
}

/** A text of an answer under a key. @throws HostError `delivery_failed` when there is none */
export function textIn(platform: string, answer: unknown, key: string): string {
  const value = isJsonObject(answer) ? answer[key] : undefined;
  if (typeof value === "string" && value !== "") return value;
  throw new HostError("delivery_failed", `${platform}: an answer has no ${key}.`, {
    details: { uncertain: true },
  });
}

/** The work before a message is sent, such as an upload: whatever becomes of it, nobody has seen anything. */
export async function beforeSending<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.details.uncertain !== true) throw thrown;
    const { uncertain: _known, ...details } = thrown.details;
    throw new HostError(thrown.code, thrown.message, { cause: thrown, details });
  }
}

/** The work after a part of a message was sent: whatever becomes of it, that part is there, and would be there twice. */
export async function afterSending<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const { code, message, details } = toHostError(thrown);
    throw new HostError(code, message, { cause: thrown, details: { ...details, uncertain: true } });
  }
}
