import type { Client } from "../client.ts";
import type { Input, Result } from "../gateway.ts";
import { count } from "../text/figures.ts";
import type { ListItem } from "./overlay.ts";

const TITLE = "Set up a model";

type Wish = Input<"setup.detect">;

/** Asks where the model is, and saves what works: `agent setup`, over the gateway, for the machine that it runs on. */
export async function runSetup(client: Client): Promise<void> {
  const wish = await askWhere(client);
  if (wish === undefined) return;
  const model = wish.provider === "demo" ? "demo" : await askModel(client, wish);
  if (model !== undefined) await save(client, { ...wish, model });
}

const item = <const Id extends string>(
  id: Id,
  label: string,
  detail = "",
): ListItem & { readonly id: Id } => ({
  id,
  label,
  detail,
  search: `${label} ${detail}`,
});

type Place = Result<"setup.places">["places"][number];

async function askWhere(client: Client): Promise<Wish | undefined> {
  client.dialogs.wait(`${TITLE}: looking for servers and keys on this machine`);
  const { places } = await client.controller.request("setup.places", {});
  const items = places.map(({ label, detail }, index) => item(String(index), label, detail));
  const picked = await client.dialogs.pick({ title: `${TITLE}: where is it?`, items });
  const place = picked === undefined ? undefined : places[Number(picked)];
  return place === undefined ? undefined : await askPlace(client, place);
}

/** Asks for the rest of a place: its address, and the proof who one is. */
async function askPlace(client: Client, place: Place): Promise<Wish | undefined> {
  const { provider, keyless, asks_address, usual_address } = place;
  let { base_url } = place;
  if (asks_address) {
    const usual = usual_address === undefined ? "" : `; empty for ${usual_address}`;
    const typed = await client.dialogs.field({
      title: TITLE,
      label: `Its address, as http://localhost:8080${usual}`,
    });
    base_url = typed === "" ? usual_address : typed;
    if (base_url === undefined) return undefined;
  }
  const wish = {
    ...(provider === undefined ? {} : { provider }),
    ...(base_url === undefined ? {} : { base_url }),
  };
  if (!keyless) return await askKey(client, wish, place);
  const way = await client.dialogs.pick({
    title: `${TITLE}: how does it know you?`,
    items: [
      item("key", "By a key"),
      item("keyless", "By identity", "of the machine, or of a login of the cloud's command"),
    ],
  });
  if (way === undefined) return undefined;
  return way === "keyless" ? { ...wish, keyless: true } : await askKey(client, wish, place);
}

/** An empty key is none: a server of one's own needs none. One that is known is not asked for. */
async function askKey(client: Client, wish: Wish, { key, key_page }: Place): Promise<Wish | undefined> {
  if (key === "known" || key === "none") return wish;
  const made = key_page === undefined ? "" : `, which is made at ${key_page}`;
  const label = key === "optional" ? "The key; empty when it needs none" : `The key${made}`;
  const typed = await client.dialogs.field({ title: TITLE, label, hidden: true });
  if (typed === undefined) return undefined;
  return typed === "" ? wish : { ...wish, api_key: typed };
}

async function askModel(client: Client, wish: Wish): Promise<string | undefined> {
  client.dialogs.wait(`${TITLE}: asking which models there are`);
  const { models, api_mode } = await client.controller.request("setup.detect", wish);
  const label = "The model's name";
  if (models.length === 0) return await askLine(client, label);
  const other = item("", "Another name…");
  const chosen = await client.dialogs.pick({
    title: `${TITLE}: which one?${api_mode === undefined ? "" : ` (it speaks ${api_mode.replaceAll("_", " ")})`}`,
    items: [...models.map(modelItem), other],
  });
  return chosen === "" ? await askLine(client, label) : chosen;
}

const modelItem = ({ id, context_length }: Result<"setup.detect">["models"][number]): ListItem =>
  item(id, id, context_length === undefined ? "" : `${count(context_length)} tokens`);

async function save(client: Client, choice: Input<"setup.save">): Promise<void> {
  client.dialogs.wait(`${TITLE}: trying ${choice.model}`);
  const outcome = await client.controller.request("setup.save", choice);
  client.dialogs.done();
  for (const { ok, text } of outcome.checks) client.controller.note(text, ok ? "ok" : "error");
  if (outcome.note !== undefined) client.controller.note(outcome.note);
  if (outcome.saved)
    return client.controller.note(`New sessions talk to ${outcome.provider}:${outcome.model}.`, "ok");
  const anyway = await client.dialogs.pick({
    title: "It does not work. Save it all the same?",
    items: [item("no", "No"), item("yes", "Yes", "what is wrong can be mended later")],
  });
  if (anyway === "yes") await save(client, { ...choice, save_anyway: true, check: false });
}

async function askLine(client: Client, label: string): Promise<string | undefined> {
  const text = await client.dialogs.field({ title: TITLE, label });
  return text === "" ? undefined : text;
}
