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

/** The ways to look for unknown keys. */
interface KeyLook {
  /** Blocks that their readers check count too. */
  readonly ofReaders?: boolean;
  /** All names that the values may have, where the schema is of some. */
  readonly names?: readonly string[];
}

/** Finds the keys of a configuration that its schema does not know, block by block; open blocks have none. */
export function unknownKeys(
  values: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
  { ofReaders = false, names: known = Object.keys(schema.shape) }: KeyLook = {},
): readonly UnknownKey[] {
  return Object.entries(values).flatMap(([key, value]): readonly UnknownKey[] =>
    known.includes(key)
      ? below(key, unknownKeysIn(value, schema.shape[key], ofReaders))
      : [{ path: key, ...defined({ suggestion: nearestName(key, known) }) }],
  );
}

/** The same of one value: that of a block, or of a list of blocks by names of the owner's. */
function unknownKeysIn(value: unknown, schema: unknown, ofReaders: boolean): readonly UnknownKey[] {
  const block = blockOf(schema, ofReaders);
  if (block === undefined || !isJsonObject(value)) return [];
  if (block instanceof z.ZodObject) return unknownKeys(value, block, { ofReaders });
  return Object.entries(value).flatMap(([name, each]) =>
    below(name, unknownKeysIn(each, block.valueType, ofReaders)),
  );
}

const below = (key: string, keys: readonly UnknownKey[]): readonly UnknownKey[] =>
  keys.map(({ path, suggestion }) => ({
    path: `${key}.${path}`,
    ...defined({ suggestion: suggestion && `${key}.${suggestion}` }),
  }));

/** The schema of a block whose keys are all known, or of blocks by name; also of one that may be absent. */
function blockOf(schema: unknown, ofReaders: boolean): z.ZodObject | z.ZodRecord | undefined {
  const read = ofReaders && schema instanceof z.ZodType ? CONFIG_META.get(schema)?.schema : undefined;
  if (read !== undefined) return blockOf(read, ofReaders);
  if (schema instanceof z.ZodOptional) return blockOf(schema.unwrap(), ofReaders);
  if (schema instanceof z.ZodRecord) return schema;
  return schema instanceof z.ZodObject && CONFIG_META.get(schema)?.open !== true ? schema : undefined;
}
