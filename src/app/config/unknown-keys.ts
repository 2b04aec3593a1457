import { z } from "zod";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";

/** A key that nothing reads. */
export interface UnknownKey {
  /** `block.key` */
  readonly path: string;
  /** What its owner most likely means. */
  readonly suggestion?: string;
}

/**
 * Finds the keys of a configuration that its schema does not know, block by block.
 *
 * @param elsewhere - keys that have other readers; what stands below them is theirs
 */
export function unknownKeys(
  values: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
  elsewhere: readonly string[] = [],
): readonly UnknownKey[] {
  const known = [...Object.keys(schema.shape), ...elsewhere];
  return Object.entries(values).flatMap(([key, value]): readonly UnknownKey[] => {
    if (!known.includes(key)) {
      return [{ path: key, ...defined({ suggestion: nearestName(key, known) }) }];
    }
    const block = elsewhere.includes(key) ? undefined : blockOf(schema.shape[key]);
    if (block === undefined || !isJsonObject(value)) return [];
    return unknownKeys(value, block).map(({ path, suggestion }) => ({
      path: `${key}.${path}`,
      ...defined({ suggestion: suggestion && `${key}.${suggestion}` }),
    }));
  });
}

/** A block that may be absent is a block. */
function blockOf(schema: unknown): z.ZodObject | undefined {
  if (schema instanceof z.ZodOptional) return blockOf(schema.unwrap());
  return schema instanceof z.ZodObject ? schema : undefined;
}
