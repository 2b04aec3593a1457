import type { Session } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import type { OpenSession } from "../../gateway/open-sessions.ts";
import type { Params, Result } from "../../protocol/methods.ts";
import { type HandlerContext, paramError } from "../handler.ts";

type Shown = Result<"config.get">;
type Changed = Omit<Result<"config.set">, "key"> & { readonly key?: string };

/** The context of a request that shows or changes a setting. */
export interface SettingContext extends HandlerContext {
  /** The session that the request names; only settings of sessions need one. */
  readonly session: Session | undefined;
  /** The same, when it is open here. */
  readonly opened: OpenSession | undefined;
}

/** A setting of `config.set` and `config.get`. */
export interface Setting {
  /** Absent when it can only be set. */
  readonly get?: (asking: SettingContext, params: Params<"config.get">) => Promise<Shown> | Shown;
  /** Absent when it can only be shown. */
  readonly set?: (
    value: string,
    asking: SettingContext,
    params: Params<"config.set">,
  ) => Promise<Changed> | Changed;
}

/** @throws HostError always: the value is none that the setting takes */
export function refuse(key: string, value: string, allowed: readonly string[]): never {
  const choices = allowed.filter((word) => word !== "").join(", ");
  throw paramError("value", `${key} cannot be ${JSON.stringify(value)}. It takes: ${choices}.`);
}

/** A value of the configuration file by its keys. */
export function valueAt(config: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), config);
}
