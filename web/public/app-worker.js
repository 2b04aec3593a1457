// Keeps the shell of the app, so that it opens without a connection. Nothing that anybody said is ever kept here.
const SHELL = "shell-1";
const PAGE = "/app";
const FIXED = ["/theme.js", "/icon.svg", "/app.webmanifest"];

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
  if (request.mode === "navigate" && isApp(url.pathname)) return event.respondWith(page(request));
  if (url.pathname.startsWith("/assets/") || FIXED.includes(url.pathname)) event.respondWith(part(request));
});

const isApp = (path) => path === PAGE || path.startsWith(`${PAGE}/`);

async function keepShell() {
  const cache = await caches.open(SHELL);
  const answer = await fetch(PAGE, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`The page was answered with ${answer.status}.`);
  const html = await answer.clone().text();
  const parts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  await cache.addAll([...FIXED, ...parts]);
  await cache.put(PAGE, answer);
}

async function page(request) {
  try {
    const answer = await fetch(request);
    if (answer.ok) await (await caches.open(SHELL)).put(PAGE, answer.clone());
    return answer;
  } catch {
    return (await caches.match(PAGE)) ?? Response.error();
  }
}

async function part(request) {
  const kept = await caches.match(request);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(SHELL)).put(request, answer.clone());
  return answer;
}
