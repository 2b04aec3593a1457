/** What is wrong with the outside of a message that is no JSON-RPC; `undefined` when nothing is. */
export function malformed(message: Readonly<Record<string, unknown>>): string | undefined {
  const { jsonrpc, method, id } = message;
  if (jsonrpc !== "2.0") return 'jsonrpc must be "2.0"';
  if (id !== undefined && !isId(id)) return "an id is a string or a number";
  if ("method" in message) return typeof method === "string" ? undefined : "a method is a string";
  return id === undefined ? "it is neither a request nor an answer" : undefined;
}

/** The id that a refusal of a message can name: those of answers are not the sender's. */
export function refusedId({ id, ...message }: Readonly<Record<string, unknown>>): string | number | null {
  return "method" in message && (typeof id === "string" || typeof id === "number") ? id : null;
}

const isId = (id: unknown): boolean => id === null || typeof id === "string" || typeof id === "number";
