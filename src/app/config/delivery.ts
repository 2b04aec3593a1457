import { z } from "zod";
import { type ConfigSource, invalidSetting, platformBlock } from "./block.ts";

/** A block under `platforms` of something that texts are sent to. */
export const DeliveryWire = z.looseObject({
  enabled: z.boolean().default(false),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  token: z.string().min(1).optional(),
  home_channel: z.union([z.string().min(1), z.int().transform(String)]).optional(),
  // Of mail.
  host: z.string().min(1).optional(),
  port: z.int().min(1).max(65_535).optional(),
  secure: z.boolean().optional(),
  user: z.string().min(1).optional(),
  // Of mail and phones.
  from: z.union([z.string().min(1), z.int().transform(String)]).optional(),
  account_sid: z.string().min(1).optional(),
});

/** A block under `platforms` that is switched on. */
export type DeliveryBlock = z.output<typeof DeliveryWire> & { readonly name: string };

/**
 * The block of a platform under one of its names, when it is enabled.
 *
 * @throws HostError `config_invalid`, naming the key
 */
export function deliveryBlock(settings: ConfigSource, names: readonly string[]): DeliveryBlock | undefined {
  for (const name of names) {
    const result = DeliveryWire.safeParse(platformBlock(settings, name));
    if (!result.success) {
      const [issue] = result.error.issues;
      throw invalidSetting(
        `platforms.${name}.${issue?.path.join(".") ?? ""}`,
        `is not valid: ${issue?.message ?? ""}`,
      );
    }
    if (result.data.enabled) return { ...result.data, name };
  }
  return undefined;
}

/**
 * The secret of a block: its variable in the environment, else its own key.
 *
 * @throws HostError `config_invalid` when there is neither
 */
export function secretOf({ env }: ConfigSource, { name, token }: DeliveryBlock, variable: string): string {
  const value = env[variable]?.trim() ?? "";
  if (value !== "") return value;
  if (token !== undefined) return token;
  throw invalidSetting(
    variable,
    `is not set, but platforms.${name} is enabled: put it into the .env file of the agent's home`,
  );
}

/** @throws HostError `config_invalid` when the key is not there */
export function needed<K extends keyof DeliveryBlock>(
  block: DeliveryBlock,
  key: K,
): NonNullable<DeliveryBlock[K]> {
  const value = block[key];
  if (value === undefined || value === null)
    throw invalidSetting(`platforms.${block.name}.${key}`, "is missing");
  return value;
}
