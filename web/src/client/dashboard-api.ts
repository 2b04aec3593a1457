/** A request that the dashboard did not carry out, in its words. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly status: number;
  readonly code: string | undefined;
  readonly field: string | undefined;

  constructor(status: number, answer: unknown) {
    const { message, code, param } = errorOf(answer);
    super(message ?? `The dashboard answered ${status}.`);
    this.status = status;
    this.code = code ?? undefined;
    this.field = param ?? undefined;
  }
}

interface ErrorWire {
  readonly message?: string;
  readonly code?: string | null;
  readonly param?: string | null;
}

const errorOf = (answer: unknown): ErrorWire =>
  typeof answer === "object" && answer !== null && "error" in answer ? (answer.error as ErrorWire) : {};

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Makes the way to an API of this server, until `signal` aborts. @param silence - what is said when nothing answers */
export const askingAt = (base: string, silence: string, signal?: AbortSignal) =>
  async function ask<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
    const writes =
      method === "GET"
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) };
    const init = { method, signal: signal ?? null, ...writes };
    const response = await fetch(`${base}${path}`, init).catch(() => undefined);
    if (response === undefined) throw new RequestRefused(0, { error: { message: silence } });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw new RequestRefused(response.status, answer);
    // The server's own schemas say what it is.
    return answer as Answer;
  };

/** Asks the dashboard's own API. @throws RequestRefused what it answered, or that it did not */
export const ask = askingAt("/dashboard/api", "The dashboard does not answer. Does it still run?");
