import type { Client } from "./client.ts";
import type { SessionDesk } from "./session-desk.ts";
import { type Looks, looksOf } from "./state/looks.ts";

interface DisplaySetting {
  /** As the gateway calls it. */
  readonly key: string;
  readonly about: string;
  readonly values: readonly string[];
  /** What holds, where the client knows it without the gateway. */
  readonly now?: (looks: Looks) => string;
}

const AMOUNTS = ["hidden", "collapsed", "expanded"];
const SWITCH = ["on", "off"];

/** What a person can change about the screen. */
const SETTINGS: Readonly<Record<string, DisplaySetting>> = {
  details: { key: "details_mode", about: "the three below together", values: AMOUNTS, now: () => "" },
  thinking: {
    key: "details_mode.thinking",
    about: "what the model thinks",
    values: AMOUNTS,
    now: (looks) => looks.thinking,
  },
  tools: { key: "details_mode.tools", about: "calls of tools", values: AMOUNTS, now: (looks) => looks.tools },
  subagents: {
    key: "details_mode.subagents",
    about: "subagents that run",
    values: AMOUNTS,
    now: (looks) => looks.subagents,
  },
  compact: {
    key: "compact",
    about: "no blank lines",
    values: SWITCH,
    now: (looks) => (looks.compact ? "on" : "off"),
  },
  statusbar: {
    key: "statusbar",
    about: "the status line",
    values: ["top", "bottom", "off"],
    now: (looks) => looks.status,
  },
  title: { key: "terminal_title", about: "the window's title", values: SWITCH },
  bell: {
    key: "bell",
    about: "a sign when somebody is wanted who looks elsewhere",
    values: ["off", "bell", "notify"],
  },
};

/** `/display` lists what can be changed, `/display <name> <value>` changes it, for good. */
export async function display(client: Client, argument: string): Promise<void> {
  const [name = "", value = "", ...rest] = argument.split(/\s+/);
  const { desk } = client;
  if (name === "") return desk.note(await overview(client));
  const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (setting === undefined)
    return desk.note(`There is no "${name}" to change: ${Object.keys(SETTINGS).join(", ")}.`, "warn");
  if (!setting.values.includes(value) || rest.length > 0)
    return desk.note(`/display ${name} takes ${setting.values.join(", ")}.`, "warn");
  await desk.request("config.set", { key: setting.key, value });
  await client.learn();
  desk.note(`${name}: ${value}`, "ok");
}

/** What a line `/display …` may go on with. */
export function displayCompletions(
  argument: string,
): readonly { readonly text: string; readonly meta: string }[] {
  const [name = "", value] = argument.split(" ");
  const all =
    value === undefined
      ? Object.entries(SETTINGS).map(([text, { about }]) => ({ text, meta: about }))
      : (SETTINGS[name]?.values ?? []).map((text) => ({ text, meta: "" }));
  return all.filter(({ text }) => text.startsWith(value ?? name));
}

/** The looks that the configuration of the gateway asks for. */
export async function learnLooks(desk: SessionDesk): Promise<Looks> {
  const { config } = await desk.request("config.get", { key: "full" });
  return looksOf(config ?? {});
}

async function overview({ desk, store }: Client): Promise<string> {
  const { looks } = store.state;
  const lines = await Promise.all(
    Object.entries(SETTINGS).map(async ([name, { key, about, values, now }]) => {
      const value = now?.(looks) ?? (await desk.request("config.get", { key })).value ?? "";
      return `${name.padEnd(10)} ${value.padEnd(10)} ${about}: ${values.join(", ")}`;
    }),
  );
  return ["/display <name> <value>", "", ...lines].join("\n");
}
