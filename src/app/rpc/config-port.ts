import { isJsonObject } from "../../shared/json/json.ts";
import type { ConfigPort } from "../../rpc/index.ts";
import { isSecretName } from "../config/secrets.ts";
import type { LiveSettings } from "../config/live-settings.ts";

/** The configuration file, for the gateway. */
export function configPort(live: LiveSettings): ConfigPort {
  return {
    values: () => live.current.config,
    refresh: () => live.refresh(),
    change: (changes) => live.change(changes),
    mask(values) {
      const redactor = live.redactor();
      const masked = maskedValue(values, (text) => redactor.hide(text));
      return isJsonObject(masked) ? masked : {};
    },
    bypassApprovals: (on) => live.bypassApprovals(on),
  };
}

const MASK = "********";

function maskedValue(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((part: unknown) => maskedValue(part, hide));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => {
    const secret = isSecretName(key) && typeof part === "string" && part !== "";
    return [key, secret ? MASK : maskedValue(part, hide)];
  });
  return Object.fromEntries(entries);
}
