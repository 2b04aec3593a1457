import { isJsonObject } from "../../../shared/json/json.ts";

/** A model in a server's list. */
export interface ListedModel {
  readonly id: string;
  /** Tokens, when the server says so. */
  readonly contextLength?: number;
}

/** Reads an OpenAI-shaped model list; `undefined` when it is none. */
export function readModelList(value: unknown): readonly ListedModel[] | undefined {
  const entries = isJsonObject(value) ? (value["data"] ?? value["models"]) : value;
  if (!Array.isArray(entries)) return undefined;
  return entries.filter(isJsonObject).flatMap((entry): readonly ListedModel[] => {
    const id = [entry["id"], entry["model"], entry["name"]].find(
      (name) => typeof name === "string" && name !== "",
    );
    const contextLength = contextIn(entry);
    if (typeof id !== "string") return [];
    return [contextLength === undefined ? { id } : { id, contextLength }];
  });
}

/** Servers have no common word for it. The context that a model runs with goes before the one it was made for. */
const CONTEXT_KEYS = [
  "max_model_len",
  "loaded_context_length",
  "n_ctx",
  "context_length",
  "max_context_length",
  "context_window",
  "n_ctx_train",
];

function contextIn(entry: Record<string, unknown>): number | undefined {
  const meta = isJsonObject(entry["meta"]) ? entry["meta"] : {};
  return CONTEXT_KEYS.flatMap((key) => [entry[key], meta[key]]).find(
    (value): value is number => typeof value === "number" && Number.isInteger(value) && value > 0,
  );
}
