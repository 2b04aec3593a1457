import type { Client } from "../client.ts";

const ABOUT: Readonly<Record<string, string>> = {
  agent: "the usual colours, which go by the terminal's background",
  plain: "no colours",
  github: "for a light background",
};

/** `/theme`: chooses the colours from a list, or by name; for good, in every window. */
export async function openThemes(client: Client, argument: string): Promise<void> {
  const { controller, dialogs } = client;
  const { value: now, choices = [], skins = [] } = await controller.request("config.get", { key: "skin" });
  const named = argument.trim().toLowerCase();
  if (named !== "" && !choices.includes(named))
    return controller.note(`There is no theme "${named}": ${choices.join(", ")}.`, "warn");
  const name =
    named ||
    (await dialogs.pick({
      title: "Colours",
      items: choices.map((each) => ({
        id: each,
        label: each,
        detail: ABOUT[each] ?? "",
        current: each === now,
        skin: skins.find((skin) => skin.name === each),
      })),
      keys: "↑↓ shows · Enter takes it, in every window · Esc closes",
    }));
  if (name === undefined) return;
  await controller.request("config.set", { key: "skin", value: name });
  controller.note(`theme: ${name}`, "ok");
}
