// Keeps the shell of the app, so that it opens without a connection, and shows what it is told while the app is closed.
// Nothing that anybody said is ever kept here.
const SHELL = "shell-1";
const PAGE = "/app";
const FIXED = ["/theme.js", "/icon.svg", "/app.webmanifest"];
/** Milliseconds after which a line that carries nothing counts as none. */
const PATIENCE = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== SHELL).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  // What members read and write goes to the server, and nowhere else.
  if (url.pathname.startsWith("/app/api/")) return;
  if (request.mode === "navigate" && isApp(url.pathname)) return event.respondWith(page(event));
  if (url.pathname.startsWith("/assets/") || FIXED.includes(url.pathname)) event.respondWith(part(request));
});

self.addEventListener("push", (event) => {
  event.waitUntil(tell(event.data?.json() ?? {}));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.tag));
});

// Browsers change it now and then; the app tells the server of the new one when it is opened next, where this fails.
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(subscribeAgain(event));
});

const isApp = (path) => path === PAGE || path.startsWith(`${PAGE}/`);

async function keepShell() {
  const cache = await caches.open(SHELL);
  const answer = await fetch(PAGE, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`The page was answered with ${answer.status}.`);
  const parts = partsOf(await answer.clone().text());
  await cache.addAll([...FIXED, ...parts]);
  await cache.put(PAGE, answer);
}

const partsOf = (html) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);

async function page(event) {
  const asked = fetch(event.request).then((answer) => {
    if (answer.ok) event.waitUntil(keepPage(answer.clone()));
    return answer;
  });
  const kept = await caches.match(PAGE);
  if (kept === undefined) return asked;
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, kept));
  return Promise.race([asked, late]).catch(() => kept);
}

/** Keeps the newest page; the parts of an older one go. */
async function keepPage(answer) {
  const cache = await caches.open(SHELL);
  const parts = new Set(partsOf(await answer.clone().text()));
  await cache.put(PAGE, answer);
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/assets/") && !parts.has(pathname)) await cache.delete(request);
  }
}

async function part(request) {
  const kept = await caches.match(request);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(SHELL)).put(request, answer.clone());
  return answer;
}

async function tell({ title, body, conversation }) {
  const windows = await self.clients.matchAll({ type: "window" });
  // Who looks at the app sees it there.
  if (windows.some(({ visibilityState }) => visibilityState === "visible")) {
    for (const client of windows) client.postMessage({ type: "news", conversation });
    return;
  }
  await self.registration.showNotification(title || "Chat", {
    body: body || "There is something new.",
    tag: conversation || "chat",
    renotify: true,
    icon: "/app-192.png",
    badge: "/app-192.png",
  });
}

async function open(conversation) {
  const path = conversation === "chat" ? PAGE : `${PAGE}/c/${encodeURIComponent(conversation)}`;
  const windows = await self.clients.matchAll({ type: "window" });
  const [client] = windows.filter(({ url }) => isApp(new URL(url).pathname));
  if (client === undefined) return self.clients.openWindow(path);
  client.postMessage({ type: "open", path });
  return client.focus();
}

async function subscribeAgain({ oldSubscription }) {
  const options = oldSubscription?.options;
  if (options === undefined) return;
  const subscription = await self.registration.pushManager.subscribe(options);
  await fetch("/app/api/push", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ endpoint: subscription.endpoint, keys: subscription.toJSON().keys }),
  });
}
