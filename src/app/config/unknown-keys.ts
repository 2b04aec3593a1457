import { z } from "zod";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";
import { CONFIG_META } from "./block.ts";

/** A key that nothing reads. */
export interface UnknownKey {
  /** `block.key` */
  readonly path: string;
  /** The key that its owner most likely means. */
  readonly suggestion?: string;
}

/** Finds the keys of a configuration that its schema does not know, block by block; open blocks have none. */
export function unknownKeys(
  values: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
): readonly UnknownKey[] {
  const known = Object.keys(schema.shape);
  return Object.entries(values).flatMap(([key, value]): readonly UnknownKey[] => {
    if (!known.includes(key)) {
      return [{ path: key, ...defined({ suggestion: nearestName(key, known) }) }];
    }
    const block = blockOf(schema.shape[key]);
    if (block === undefined || !isJsonObject(value)) return [];
    return unknownKeys(value, block).map(({ path, suggestion }) => ({
      path: `${key}.${path}`,
      ...defined({ suggestion: suggestion && `${key}.${suggestion}` }),
    }));
  });
}

/** The schema of a block whose keys are all known, also of one that may be absent. */
function blockOf(schema: unknown): z.ZodObject | undefined {
  if (schema instanceof z.ZodOptional) return blockOf(schema.unwrap());
  return schema instanceof z.ZodObject && CONFIG_META.get(schema)?.open !== true ? schema : undefined;
}
