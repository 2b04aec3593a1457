import { isJsonObject } from "./json.ts";

/** The settings of the `model` block that hold for all providers. */
const SHARED = new Set(["provider", "default", "providers", "fallback"]);

/**
 * The changes of `config.yaml` that make a model the default. The settings beside `model.provider` belong to the provider
 * that was the default before: they go along with it to its entry in `model.providers`.
 *
 * @param before - the name of that provider
 * @param block - the `model` block as it is
 */
export function defaultChanges(
  chosen: { readonly provider: string; readonly name: string },
  before: string,
  block: unknown,
): readonly (readonly [keys: readonly string[], value: unknown])[] {
  const changes = [
    [["model", "provider"], chosen.provider],
    [["model", "default"], chosen.name],
  ] as const;
  if (chosen.provider === before || !isJsonObject(block)) return changes;
  const own = Object.entries(block).filter(([name, value]) => !SHARED.has(name) && value !== null);
  if (own.length === 0) return changes;
  const { default: model } = block;
  const kept = model === undefined ? own : [...own, ["default", model] as const];
  return [
    ...kept.map(([name, value]) => [["model", "providers", before, name], value] as const),
    ...own.map(([name]) => [["model", name], undefined] as const),
    ...changes,
  ];
}
