import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "../../shared/errors/host-error.ts";
import { readSubscriptions, type Subscriptions } from "../../automation/webhook/index.ts";
import { isAbsent, systemReason } from "../config/home.ts";
import { underHomeLock } from "../config/home-lock.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";

export const subscriptionPath = (home: string): string => join(home, "webhook_subscriptions.json");

/**
 * The subscriptions of a home; an absent file has none.
 *
 * @throws HostError `config_invalid` for a file that cannot be read: nothing is written over it
 */
export function loadSubscriptions(home: string): Subscriptions {
  const path = subscriptionPath(home);
  try {
    return readSubscriptions(readFileSync(path, "utf8"));
  } catch (cause) {
    if (isAbsent(cause)) return {};
    throw new HostError(
      "config_invalid",
      `Cannot read ${path}: ${systemReason(cause)} Mend or remove the file.`,
      {
        cause,
      },
    );
  }
}

/**
 * Changes the subscriptions as they are now, also while other processes do. The file is replaced as a whole: a gateway
 * that reads it meanwhile sees the old one or the new one.
 *
 * @param change - the subscriptions as they shall be
 * @throws HostError `config_invalid`, `timeout`; whatever `change` throws, and then nothing is changed
 */
export async function changeSubscriptions(
  home: string,
  change: (known: Subscriptions) => Subscriptions,
): Promise<void> {
  const path = subscriptionPath(home);
  await underHomeLock(path, () => {
    const changed = change(loadSubscriptions(home));
    replaceFile(path, `${JSON.stringify(changed, undefined, 2)}\n`, 0o600);
  });
}
