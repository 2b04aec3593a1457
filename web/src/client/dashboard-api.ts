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

/** Asks the dashboard's own API. @throws RequestRefused what it answered, or that it did not */
export async function ask<Answer>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Answer> {
  const writes =
    method === "GET"
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) };
  const response = await fetch(`/dashboard/api${path}`, { method, ...writes }).catch(() => undefined);
  if (response === undefined)
    throw new RequestRefused(0, { error: { message: "The dashboard does not answer. Does it still run?" } });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new RequestRefused(response.status, answer);
  return answer as Answer;
}
