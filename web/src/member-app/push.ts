import { ask } from "./ask.ts";

/** Whether this device is told of answers: it cannot be, may not be, is not, or is. */
export type PushState = "impossible" | "blocked" | "off" | "on";

const CHOICE = "app:push";

const isPossible = (): boolean =>
  "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** Looks whether this device is told of answers. */
export async function pushState(): Promise<PushState> {
  if (!isPossible()) return "impossible";
  if (Notification.permission === "denied") return "blocked";
  if (Notification.permission === "default") return "off";
  const subscription = await (await navigator.serviceWorker.ready).pushManager.getSubscription();
  return subscription === null ? "off" : "on";
}

/** Asks whether this device may be told of answers, and has it told. @throws Error why it is not */
export async function turnOnPush(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== "granted") return await pushState();
  const { key } = await ask<{ readonly key: string }>("GET", "/push");
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: bytesOf(key) };
  // One that was made with another key is of no use.
  const subscription = await pushManager.subscribe(options).catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe();
    return await pushManager.subscribe(options).catch((cause: unknown) => {
      throw new Error("The push service of this browser cannot be reached. Try again later.", { cause });
    });
  });
  const { endpoint, keys } = subscription.toJSON();
  await ask("POST", "/push", { endpoint, keys });
  localStorage.setItem(CHOICE, "on");
  return "on";
}

/** Tells this device of nothing more. */
export async function turnOffPush(): Promise<void> {
  localStorage.removeItem(CHOICE);
  if (!isPossible()) return;
  const registration = await navigator.serviceWorker.getRegistration("/app");
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** Tells the server again where this device is told: browsers change it now and then. */
export async function renewPush(): Promise<void> {
  if (localStorage.getItem(CHOICE) === "on" && isPossible() && Notification.permission === "granted")
    await turnOnPush();
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
