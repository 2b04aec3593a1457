import { isJsonObject } from "../../../shared/json/json.ts";

/** Tokens of context that the host is made for. */
const LEAST_CONTEXT = 64_000;

/** The warning about a local model with little context; `undefined` when it has enough. */
export const contextWarning = (model: string, contextLength: number): string | undefined =>
  contextLength >= LEAST_CONTEXT
    ? undefined
    : `${model} is served with ${contextLength} tokens of context. The agent is made for ${LEAST_CONTEXT} or more: start the server with a larger one.`;

/** Asks a server; `undefined` when it gives no good answer. With a body it is a POST. */
type Ask = (path: string, body?: unknown) => Promise<unknown>;

/** Tokens of context that a local server serves a model with, where the server says so in a way of its own. */
export async function servedContext(model: string, ask: Ask): Promise<number | undefined> {
  return inProps(await ask("/props")) ?? inShow(await ask("/api/show", { model }));
}

/** llama.cpp: what the server was started with. */
function inProps(value: unknown): number | undefined {
  const settings = isJsonObject(value) ? value["default_generation_settings"] : undefined;
  return isJsonObject(settings) ? tokens(settings["n_ctx"]) : undefined;
}

/** Ollama: what a model file sets goes before what the model was made for. */
function inShow(value: unknown): number | undefined {
  if (!isJsonObject(value)) return undefined;
  const { parameters, model_info: info } = value;
  const set = typeof parameters === "string" ? /^num_ctx\s+(\d+)/m.exec(parameters)?.[1] : undefined;
  if (set !== undefined) return tokens(Number(set));
  const made = isJsonObject(info)
    ? Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1]
    : undefined;
  return tokens(made);
}

const tokens = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
