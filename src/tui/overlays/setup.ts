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
  current: false,
});

const PROVIDERS = [
  item("local", "A server of your own", "anything that speaks chat completions, responses or messages"),
  item("openai", "OpenAI", "with a key"),
  item("messages", "Anthropic", "with a key"),
  item("cloud-foundry", "Azure AI Foundry", "with a key, or by identity"),
  item("gemini", "Gemini", "with a key"),
  item("openrouter", "OpenRouter", "with a key"),
  item("groq", "Groq", "with a key"),
  item("mistral", "Mistral", "with a key"),
  item("deepseek", "DeepSeek", "with a key"),
  item("xai", "xAI", "with a key"),
  item("demo", "The built-in demo", "no model at all: it follows a few phrases"),
] as const;

async function askWhere(client: Client): Promise<Wish | undefined> {
  const picked = await client.dialogs.pick({ title: `${TITLE}: where is it?`, items: PROVIDERS });
  const chosen = PROVIDERS.find(({ id }) => id === picked)?.id;
  switch (chosen) {
    case "local":
      return await askServer(client);
    case "cloud-foundry":
      return await askFoundry(client);
    case "demo":
      return { provider: "demo" };
    case undefined:
      return undefined;
    default:
      return await askKey(client, { provider: chosen });
  }
}

async function askServer(client: Client): Promise<Wish | undefined> {
  client.dialogs.wait(`${TITLE}: looking for servers on this machine`);
  const { servers } = await client.controller.request("setup.servers", {});
  const found = servers.map(({ base_url, models }) =>
    item(base_url, base_url, models.map(({ id }) => id).join(", ")),
  );
  const chosen =
    found.length === 0
      ? "other"
      : await client.dialogs.pick({
          title: `${TITLE}: servers on this machine`,
          items: [...found, item("other", "Another address…")],
        });
  if (chosen !== "other") return chosen === undefined ? undefined : { provider: "local", base_url: chosen };
  const base_url = await askLine(client, "Its address, as http://localhost:8080");
  return base_url === undefined ? undefined : await askKey(client, { provider: "local", base_url });
}

async function askFoundry(client: Client): Promise<Wish | undefined> {
  const base_url = await askLine(client, "The address of the resource, as https://name.openai.azure.com");
  if (base_url === undefined) return undefined;
  const way = await client.dialogs.pick({
    title: `${TITLE}: how does it know you?`,
    items: [
      item("key", "By a key"),
      item("keyless", "By identity", "of the machine, or of a login of the cloud's command"),
    ],
  });
  if (way === undefined) return undefined;
  const wish = { provider: "cloud-foundry", base_url } as const;
  return way === "keyless" ? { ...wish, keyless: true } : await askKey(client, wish);
}

/** An empty key is none: a server of one's own needs none, and others may have theirs in the environment. */
async function askKey(client: Client, wish: Wish): Promise<Wish | undefined> {
  const label = "The key; empty when there is none, or when it is in the environment";
  const key = await client.dialogs.field({ title: TITLE, label, hidden: true });
  if (key === undefined) return undefined;
  return key === "" ? wish : { ...wish, api_key: key };
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
