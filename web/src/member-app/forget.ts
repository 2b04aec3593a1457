import { turnOffPush } from "./push.ts";

const OWN = "app:";

/** Forgets all that this device keeps of somebody: whoever signs in here next has nothing to do with it. */
export async function forgetMember(): Promise<void> {
  for (const storage of [localStorage, sessionStorage])
    for (const key of Object.keys(storage)) if (key.startsWith(OWN)) storage.removeItem(key);
  await turnOffPush().catch(() => undefined);
  const registration = await navigator.serviceWorker?.getRegistration("/app").catch(() => undefined);
  for (const shown of (await registration?.getNotifications().catch(() => [])) ?? []) shown.close();
}

/** Takes the messages away that tell of a conversation: it is being read. */
export async function closeNotifications(conversation: string): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration("/app");
  for (const shown of (await registration?.getNotifications({ tag: conversation })) ?? []) shown.close();
}
