import type { z } from "zod";
import { isJsonObject } from "../../shared/json/json.ts";
import { type ConfigSource, invalidSetting } from "./block.ts";
import { unknownKeys } from "./unknown-keys.ts";

/**
 * Reads a block that `checkedByReader` declares.
 *
 * @throws HostError `config_invalid`, naming the key; also for a mistyped one, which would have no effect
 */
export function readBlock<Schema extends z.ZodObject>(
  { config, paths }: ConfigSource,
  name: string,
  schema: Schema,
): z.output<Schema> {
  const value = config[name] ?? {};
  const result = schema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const subject = [name, ...(issue?.path ?? [])].join(".");
    throw invalidSetting(subject, `in ${paths.config} is not valid: ${issue?.message ?? ""}`);
  }
  const strange = isJsonObject(value) ? unknownKeys(value, schema) : [];
  for (const { path, suggestion } of strange)
    if (suggestion !== undefined)
      throw invalidSetting(
        `${name}.${path}`,
        `in ${paths.config} is no setting. Did you mean ${name}.${suggestion}?`,
      );
  return result.data;
}
