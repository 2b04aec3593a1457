import type { Delivery, DeliveryTry } from "./delivery.ts";

/** Older ones are forgotten. */
const KEPT = 30;

/** Notes that a try begins. */
export function beginTry({ nextAt: _due, ...delivery }: Delivery, at: number): Delivery {
  const tries = [...(delivery.tries ?? []), { at }];
  return { ...delivery, tries: tries.slice(-KEPT) };
}

/** Notes how the last try ended. */
export function endTry(delivery: Delivery, end: Omit<DeliveryTry, "at">): Delivery {
  const { tries = [] } = delivery;
  const last = tries.at(-1);
  return last === undefined ? delivery : { ...delivery, tries: [...tries.slice(0, -1), { ...last, ...end }] };
}
