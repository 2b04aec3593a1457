import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { HomePaths } from "./home.ts";

/** The configuration as readers of single blocks take it. */
export interface ConfigSource {
  readonly paths: HomePaths;
  /** The environment with what `.env` adds to it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file as it was read. */
  readonly config: Readonly<Record<string, unknown>>;
}

export const SECONDS = z.number().min(0);
export const COUNT = z.int().min(1);
export const NAMES = z.array(z.string());
export const PORT = z.int().min(0).max(65_535);

/** The facts about a key or block that are for people, and for checks of a whole file. */
export interface ConfigMeta {
  readonly description?: string;
  readonly default?: unknown;
  /** The keys of the block belong to readers that check them themselves. */
  readonly open?: boolean;
  /** The schema of the reader that checks the block. */
  readonly schema?: z.ZodType;
}

/** The facts about each schema of the configuration. `.meta()` would copy every schema, at each start. */
export const CONFIG_META = new WeakMap<z.ZodType, ConfigMeta>();

function withMeta<Schema extends z.ZodType>(schema: Schema, meta: ConfigMeta): Schema {
  CONFIG_META.set(schema, meta);
  return schema;
}

/** A key that may be left out, with its description and its default for the reference. */
export const key = <Schema extends z.ZodType>(schema: Schema, description: string, otherwise?: unknown) =>
  withMeta(schema.optional(), defined({ description, default: otherwise }));

/** A block whose other keys belong to readers that check them themselves: none of its keys is called unknown. */
export const openBlock = <Schema extends z.ZodObject>(schema: Schema): Schema =>
  withMeta(schema, { open: true });

/**
 * A block that its reader checks when it needs it: a mistake in it stops nothing else.
 *
 * @param schema - of the reader, for the reference
 */
export const checkedByReader = (description: string, schema: z.ZodType = z.unknown()) =>
  withMeta(z.unknown().optional(), { description, schema });

/** The block of a platform in config.yaml, as it was read; empty when there is none. */
export function platformBlock(
  { config }: Pick<ConfigSource, "config">,
  name: string,
): Readonly<Record<string, unknown>> {
  const platforms = config["platforms"];
  const block = isJsonObject(platforms) ? platforms[name] : undefined;
  return isJsonObject(block) ? block : {};
}

/** Whether something is switched on: by a variable, which wins, or by the configuration. */
export function isSwitchedOn({ env }: ConfigSource, variable: string, configured: boolean): boolean {
  const value = env[variable]?.trim().toLowerCase() ?? "";
  if (value === "") return configured;
  if (["1", "true", "yes", "on"].includes(value)) return true;
  if (["0", "false", "no", "off"].includes(value)) return false;
  throw invalidSetting(variable, `is ${JSON.stringify(value)}: write true or false`);
}

/** The error for a setting that is wrong: `subject` names it, and begins the message. */
export const invalidSetting = (subject: string, problem: string): HostError =>
  new HostError("config_invalid", `${subject} ${problem.replace(/(?<![?.])$/, ".")}`, {
    details: { subject },
  });

/** Runs a check of what somebody typed on a command line: what is wrong there is wrong usage, in the same words. */
export function asUsage<T>(check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "config_invalid") throw thrown;
    throw new HostError("command_usage", thrown.message, {
      ...defined({ details: thrown.details }),
      cause: thrown,
    });
  }
}
