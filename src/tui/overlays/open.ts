import { defined } from "../../shared/json/defined.ts";
import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import { originWords } from "../../shared/text/origin-words.ts";
import { joinFacts } from "../text/facts.ts";
import { age } from "../text/figures.ts";
import { chosenItem, moveChosen } from "./list.ts";
import type { ListItem, ListOverlay } from "./overlay.ts";

const SESSION_KEYS =
  "Enter opens · Ctrl+N new · Ctrl+R renames · Ctrl+B branches · Ctrl+D deletes · Esc closes";

/** The sessions of the home: those that are open first, then the stored ones. */
export async function openSessions(client: Client): Promise<void> {
  showList(client, "sessions", { title: "Sessions", keys: SESSION_KEYS });
  const { controller } = client;
  const [live, stored] = await Promise.all([
    controller.request("session.active_list", defined({ current_session_id: controller.sessionId })),
    controller.request("session.list", { limit: LOADED }),
  ]);
  fillList(client, "sessions", sessionItems(client, live.sessions, stored.sessions));
  await searchSessions(client);
}

/** The same list at the start: the session that has just been made is not the one that is looked for. */
export async function openSessionPicker(client: Client): Promise<void> {
  await openSessions(client);
  const { overlay } = client.store.state;
  if (overlay?.kind !== "list" || overlay.list !== "sessions") return;
  if (chosenItem(overlay)?.current === true) client.store.update({ overlay: moveChosen(overlay, 1) });
}

/** Sessions that are loaded at once, and those that a search for what is typed adds. */
const LOADED = 200;
const FOUND = 50;

/** Searches for one filter: each reads some of what is missing in the index, as in a home that has none yet. */
const MOST_SEARCHES = 20;

/** Adds the stored sessions in which what is typed was said, with the place; those whose title matches come first. */
export async function searchSessions(client: Client): Promise<void> {
  for (let nth = 1; nth <= MOST_SEARCHES; nth += 1) if (await searchOnce(client)) return;
}

/** @returns whether there is nothing more to find for what is typed */
async function searchOnce(client: Client): Promise<boolean> {
  const { overlay } = client.store.state;
  if (overlay?.kind !== "list" || overlay.list !== "sessions") return true;
  const { filter } = overlay;
  if (!/[\p{L}\p{N}]{2}/u.test(filter)) return true;
  const { hits, complete } = await client.controller
    .request("session.search", { query: filter, limit: FOUND })
    // A gateway of an older version has no such method: the list is narrowed all the same.
    .catch(() => ({ hits: [], complete: true }));
  const now = client.store.state.overlay;
  if (now?.kind !== "list" || now.list !== "sessions" || now.filter !== filter) return true;
  const sessions = hits.map(({ session }) => session);
  const items = sessionItems(client, [], sessions).map((item, at): ListItem => {
    const match = hits[at]?.match;
    return match === undefined || match.kind === "title"
      ? item
      : { ...item, detail: joinFacts(markedPlace(match), item.detail) };
  });
  client.store.update({ overlay: { ...now, found: { filter, items } } });
  return complete;
}

/** The place with its words between marks, which need no colours. */
function markedPlace({ text, marks }: Result<"session.search">["hits"][number]["match"]): string {
  let line = "";
  let at = 0;
  for (const [from, to] of marks) {
    line += `${text.slice(at, from)}‹${text.slice(from, to)}›`;
    at = to;
  }
  return line + text.slice(at);
}

const STATUS_WORDS = {
  waiting: "waits for an answer",
  starting: "starting",
  working: "working",
  idle: "",
} as const;

function sessionItems(
  client: Client,
  live: Result<"session.active_list">["sessions"],
  stored: Result<"session.list">["sessions"],
): readonly ListItem[] {
  const open = new Set(live.map(({ id }) => id));
  const all = [...live, ...stored.filter(({ id }) => !open.has(id))];
  return all.map((session) => {
    const { id, title, preview, status, last_active, message_count, model, interrupted } = session;
    const label = title === "" ? (preview === "" ? id : preview) : title;
    const cut = interrupted === undefined ? "" : "interrupted";
    const from = originWords(session);
    const ago = age(last_active * 1000, client.now());
    const messages = `${message_count} messages`;
    return {
      id,
      label,
      detail: joinFacts(STATUS_WORDS[status], cut, from, ago, messages, model, interrupted ?? ""),
      search: `${title} ${preview} ${id} ${from}`,
      current: id === client.controller.sessionId,
    };
  });
}

/** The models that can be chosen, by provider. */
export async function openModels(client: Client): Promise<void> {
  const keys = "Enter uses it here · Ctrl+G makes it the default · Esc closes";
  showList(client, "models", { title: "Models", keys });
  const { controller } = client;
  const { model, provider, providers } = await controller.request("model.options", controller.where);
  const items = providers.flatMap(({ slug, name, models, warning = "", authenticated }) =>
    models.map((each) => ({
      id: `${slug}:${each}`,
      label: each,
      detail: joinFacts(name, authenticated ? "" : "no key", warning),
      search: `${each} ${name} ${slug}`,
      current: each === model && slug === provider,
    })),
  );
  fillList(client, "models", items);
}

/** The toolsets, to switch on and off for this session. */
export async function openToolsets(client: Client): Promise<void> {
  const keys = "Enter switches it on or off · Esc closes";
  showList(client, "toolsets", { title: "Tools", keys });
  const { toolsets } = await client.controller.request("toolsets.list", client.controller.where);
  const items = toolsets.map(({ name, label, description, enabled, tools }) => ({
    id: name,
    label: label === "" ? name : label,
    detail: `${enabled ? "on" : "off"} · ${description === "" ? tools.join(", ") : description}`,
    search: `${name} ${tools.join(" ")}`,
    current: enabled,
  }));
  fillList(client, "toolsets", items);
}

/** The skills of the home and of the session's folder: to use one, and to switch them on and off for good. */
export async function openSkills(client: Client): Promise<void> {
  const keys = "Enter uses it · Ctrl+G switches it on or off · Esc closes";
  showList(client, "skills", { title: "Skills", keys });
  const { results = [] } = await client.controller.request("skills.manage", {
    action: "search",
    ...where(client),
  });
  const items = results.map(({ name, description, category, enabled }) => ({
    id: name,
    label: name,
    detail: [...(enabled ? [] : ["off"]), category, description].join(" · "),
    search: `${name} ${category} ${description}`,
    current: enabled,
  }));
  fillList(client, "skills", items);
}

/** Switches a skill on or off for good. */
export async function switchSkill(client: Client, { id, current }: ListItem): Promise<void> {
  const action = current ? "disable" : "enable";
  await client.controller.request("skills.manage", { action, query: id, ...where(client) });
  await openSkills(client);
}

/** The session's folder, which may have skills of its own. */
function where({ store }: Client): { readonly cwd?: string } {
  const cwd = store.state.view.session?.info.cwd ?? "";
  return cwd === "" ? {} : { cwd };
}

/** Opens an empty list; one that is open already stays as it is until its items come. */
export function showList(
  { store }: Client,
  list: ListOverlay["list"],
  { title, keys }: { readonly title: string; readonly keys: string },
): void {
  const { overlay } = store.state;
  if (overlay?.kind === "list" && overlay.list === list) return;
  store.update({
    overlay: { kind: "list", list, title, keys, items: [], filter: "", chosen: 0, loading: true },
  });
}

/** Puts the items into the list, if it is still the one that is open. */
export function fillList(
  { store }: Client,
  list: ListOverlay["list"],
  content: readonly ListItem[] | { readonly items: readonly ListItem[]; readonly title: string },
): void {
  const { overlay } = store.state;
  if (overlay?.kind !== "list" || overlay.list !== list) return;
  const { items, title } = "title" in content ? content : { items: content, title: overlay.title };
  const first = list === "toolsets" || list === "skills" ? 0 : items.findIndex(({ current }) => current);
  const chosen = Math.max(0, overlay.loading ? first : overlay.chosen);
  const { found: _before, ...rest } = overlay;
  store.update({ overlay: moveChosen({ ...rest, title, items, loading: false, chosen }, 0) });
}
