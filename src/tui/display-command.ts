import type { Client } from "./client.ts";
import type { SessionController } from "./session-controller.ts";
import { type ScreenSettings, displaySettingsOf } from "./state/display-settings.ts";

interface DisplaySetting {
  /** As the gateway calls it. */
  readonly key: string;
  readonly about: string;
  readonly values: readonly string[];
  /** What holds, where the client knows it without the gateway. */
  readonly now?: (display: ScreenSettings) => string;
}

const AMOUNTS = ["hidden", "collapsed", "expanded"];
const SWITCH = ["on", "off"];

const details = (name: "thinking" | "tools" | "subagents", about: string): DisplaySetting => ({
  key: `details_mode.${name}`,
  about,
  values: AMOUNTS,
  now: (display) => display[name],
});

/** What a person can change about the screen. */
const SETTINGS: Readonly<Record<string, DisplaySetting>> = {
  details: { key: "details_mode", about: "the three below together", values: AMOUNTS, now: () => "" },
  thinking: details("thinking", "what the model thinks"),
  tools: details("tools", "calls of tools"),
  subagents: details("subagents", "subagents that run"),
  compact: {
    key: "compact",
    about: "no blank lines",
    values: SWITCH,
    now: (display) => (display.compact ? "on" : "off"),
  },
  statusbar: {
    key: "statusbar",
    about: "the status line",
    values: ["top", "bottom", "off"],
    now: (display) => display.status,
  },
  enter: {
    key: "busy",
    about: "what Enter does while a turn runs (Tab does the other)",
    values: ["steer", "queue", "interrupt"],
    now: (display) => display.enter,
  },
  title: { key: "terminal_title", about: "the window's title", values: SWITCH },
  bell: {
    key: "bell",
    about: "a sign when somebody is wanted who looks elsewhere",
    values: ["off", "bell", "notify"],
  },
};

/** `/display` lists what can be changed, `/display <name> <value>` changes it, for good. */
export async function displayCommand(client: Client, argument: string): Promise<void> {
  const [name = "", value = "", ...rest] = argument.split(/\s+/);
  const { controller } = client;
  if (name === "") return controller.note(await overview(client));
  const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (setting === undefined)
    return controller.note(`There is no "${name}" to change: ${Object.keys(SETTINGS).join(", ")}.`, "warn");
  if (!setting.values.includes(value) || rest.length > 0)
    return controller.note(`/display ${name} takes ${setting.values.join(", ")}.`, "warn");
  await controller.request("config.set", { key: setting.key, value });
  await client.learn();
  controller.note(`${name}: ${value}`, "ok");
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
export async function learnLooks(controller: SessionController): Promise<ScreenSettings> {
  const { config } = await controller.request("config.get", { key: "full" });
  return displaySettingsOf(config ?? {});
}

async function overview({ controller, store }: Client): Promise<string> {
  const { display } = store.state;
  const lines = await Promise.all(
    Object.entries(SETTINGS).map(async ([name, { key, about, values, now }]) => {
      const value = now?.(display) ?? (await controller.request("config.get", { key })).value ?? "";
      return `${name.padEnd(10)} ${value.padEnd(10)} ${about}: ${values.join(", ")}`;
    }),
  );
  return ["/display <name> <value>", "", ...lines].join("\n");
}
