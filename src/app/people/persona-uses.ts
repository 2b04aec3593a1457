import { EMPTY_STATE, NO_PERSONA, type Records } from "../../core/index.ts";
import { JobRecords } from "../../automation/jobs/index.ts";
import { CHAT_NAMES } from "../../chat/names.ts";
import { Roster } from "../../people/roster/index.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { Agent } from "../compose.ts";
import type { AppSettings } from "../config/settings.ts";
import { extraOf } from "./open-personas.ts";

/** Use of a persona: somebody or something that it was chosen for. */
export interface PersonaUse {
  readonly persona: string;
  readonly kind: "default" | "platform" | "channel" | "user" | "job";
  /** Of a user or job its id; else the key in config.yaml that says so. */
  readonly id: string;
  /** What it is called. */
  readonly title: string;
}

/** Platforms whose sessions may have a persona, by their names in the configuration. */
const PLACES = ["api_server", "webhook", ...Object.keys(CHAT_NAMES)];

/** Everything that names a persona, whether or not there is one of that name. */
export async function personaUses(parts: {
  readonly settings: Pick<AppSettings, "blocks" | "config" | "paths" | "env">;
  readonly records: Records;
}): Promise<readonly PersonaUse[]> {
  const { settings, records } = parts;
  const roster = new Roster(records, { clock: systemClock, hex: randomHex });
  const [users, jobs] = await Promise.all([roster.list(), new JobRecords(records).list()]);
  return [
    ...configuredUses(settings),
    ...users.flatMap(({ id, name, persona }) => useOf(persona, { kind: "user", id, title: name })),
    ...jobs.flatMap(({ id, name, persona }) => useOf(persona, { kind: "job", id, title: name })),
  ];
}

function configuredUses(settings: Pick<AppSettings, "blocks" | "config">): readonly PersonaUse[] {
  const owners = settings.blocks.agent?.persona;
  const shown = settings.blocks.display?.personality;
  const uses = [
    ...useOf(shown, { kind: "default", id: "display.personality", title: "new conversations in clients" }),
    ...useOf(owners, { kind: "default", id: "agent.persona", title: "everybody else" }),
  ];
  for (const place of PLACES) {
    const { persona, channels } = extraOf({ config: settings.config }, place);
    const key = `platforms.${place}.extra`;
    uses.push(...useOf(persona, { kind: "platform", id: `${key}.persona`, title: place }));
    if (!isJsonObject(channels)) continue;
    for (const [channel, choice] of Object.entries(channels)) {
      const chosen = isJsonObject(choice) ? choice["persona"] : undefined;
      const id = `${key}.channels.${channel}.persona`;
      uses.push(...useOf(chosen, { kind: "channel", id, title: `${place}:${channel}` }));
    }
  }
  return uses;
}

const useOf = (persona: unknown, use: Omit<PersonaUse, "persona">): readonly PersonaUse[] =>
  typeof persona !== "string" || persona === "" || persona === NO_PERSONA ? [] : [{ persona, ...use }];

/** The personas that are chosen and do not exist, each with who chose it and what to do. */
export async function missingPersonas({
  live,
  store,
  personas,
}: Pick<Agent, "live" | "store" | "personas">): Promise<
  readonly { readonly name: string; readonly title: string; readonly why: string }[]
> {
  // A process that has answered nobody yet has not looked.
  await personas.refresh({ id: "", state: EMPTY_STATE });
  const known = new Set(personas.names());
  const uses = await personaUses({ settings: live.current, records: store.records });
  const lost = Map.groupBy(
    uses.filter(({ persona }) => !known.has(persona)),
    ({ persona }) => persona,
  );
  return [...lost].map(([name, by]) => ({
    name,
    title: `There is no persona ${name}`,
    why: `It is chosen for ${usesText(by)}, where the agent has its last tools, or none. Make one of that name, or choose another there.`,
  }));
}

/** Says who uses a persona, for messages. */
export function usesText(uses: readonly PersonaUse[]): string {
  const named = uses.slice(0, MOST_NAMED).map(({ kind, id, title }) => {
    switch (kind) {
      case "default":
      case "platform":
      case "channel":
        return id;
      case "user":
        return `the user ${title}`;
      case "job":
        return `the job ${title}`;
    }
  });
  const more = uses.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const MOST_NAMED = 10;
