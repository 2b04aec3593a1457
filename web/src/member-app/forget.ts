import { turnOffPush } from "./push.ts";

const OWN = "app:";

/** Forgets all that this device keeps of somebody: whoever signs in here next has nothing to do with it. */
export async function forgetMember(): Promise<void> {
  for (const storage of [localStorage, sessionStorage])
    for (const key of Object.keys(storage)) if (key.startsWith(OWN)) storage.removeItem(key);
  await turnOffPush().catch(() => undefined);
  await closeNotifications().catch(() => undefined);
}

/** Takes the messages of the system away that tell of a conversation; all of them without one. */
export async function closeNotifications(conversation?: string): Promise<void> {
  const filter = conversation === undefined ? {} : { tag: conversation };
  const registration = await navigator.serviceWorker?.getRegistration("/app");
  for (const shown of (await registration?.getNotifications(filter)) ?? []) shown.close();
}
