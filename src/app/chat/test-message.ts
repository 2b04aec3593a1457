import type { Clock, RandomHex } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { within } from "../../shared/async/deadline.ts";
import type { BackgroundServices } from "../background/background-services.ts";

const TEST_MS = 20_000;
const TEXT = "This is a test message of the agent. It can write here.";

/**
 * Sends a test message to a chat, at once and once.
 *
 * @param chat - the platform's home channel when it is absent
 * @throws HostError `invalid_params` for a platform that is off or has no home channel; `delivery_failed`, `fetch_failed`,
 *   `timeout` when it does not arrive
 */
export async function sendTestMessage(
  { targetsOf, senders }: Pick<BackgroundServices, "targetsOf" | "senders">,
  { platform, chat }: { readonly platform: string; readonly chat: string | undefined },
  { clock, hex }: { readonly clock: Clock; readonly hex: RandomHex },
): Promise<void> {
  const [target] = targetsOf(chat === undefined ? platform : `${platform}:${chat}`);
  const sender = target && senders(target.kind);
  if (target === undefined || sender === undefined)
    throw new HostError("invalid_params", `${platform} is off, or texts cannot go out there.`);
  const id = `test-${hex(6)}`;
  const source = { kind: "test", id };
  const delivery = { id, target, text: TEXT, source, status: "pending", attempts: 1 } as const;
  await within({ clock, ms: TEST_MS }, (signal) =>
    sender.send({ ...delivery, createdAt: clock.now() }, signal),
  );
}
