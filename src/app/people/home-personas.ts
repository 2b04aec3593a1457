import { createHash } from "node:crypto";
import {
  NO_PERSONA,
  type ModelRef,
  type Persona,
  type Personas,
  type PersonaSession,
  EMPTY_STATE,
} from "../../core/index.ts";
import type {
  EditedPersonas,
  PersonaBook,
  PersonaFields,
  SavedPersona,
} from "../../people/personas/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { isJsonObject } from "../../shared/json/json.ts";

/** A prompt is not to wait for the store when another one just did. */
const LOOK_EVERY_MS = 1000;

/** Users whose persona is remembered for that time. */
const MOST_LOOKS = 10_000;
const NARROWEST: Partial<PersonaFields> = { toolsets: [], skills: [], collections: [] };

/** The blocks of the configuration that have personas, and the owner's choice. */
export interface PersonaBlocks {
  readonly personas?: Readonly<Record<string, PersonaFields>> | undefined;
  readonly personalities?: Readonly<Record<string, string>> | undefined;
  readonly agent?: { readonly persona?: string | undefined } | undefined;
}

/** The ports of `HomePersonas`. */
export interface HomePersonasPorts {
  readonly clock: Clock;
  readonly book: PersonaBook;
  /** The persona that somebody on the roster has. */
  readonly personaOf: (userId: string) => Promise<string | undefined>;
  /** The configuration as it is now. */
  readonly config: () => PersonaBlocks;
  /** The block `extra` of a platform. */
  readonly extraOf: (platform: string) => Readonly<Record<string, unknown>>;
  readonly parseModel: (text: string) => ModelRef;
}

/** The place of a persona: edited by people, or a block of the configuration. */
export type PersonaSource = "edited" | "config.yaml" | "personality";

/** A persona of a home, with the place where it is changed. */
export interface ListedPersona {
  readonly name: string;
  readonly source: PersonaSource;
  readonly version?: number;
  readonly fields: PersonaFields;
}

const NOTHING: EditedPersonas = { saved: [], removed: new Map() };

/** The personas of a home: those that people edit, then those of the configuration, then its old personalities. */
export class HomePersonas implements Personas {
  readonly #ports: HomePersonasPorts;
  readonly #ofUsers = new Map<string, string | undefined>();
  /** By user, and by nobody for the book: when was looked last, and the look. */
  readonly #looks = new Map<string, { readonly at: number; readonly over: Promise<void> }>();
  /** Drafts that somebody tries, by the session in which they do. */
  readonly #drafts = new Map<string, Persona>();
  #edited = NOTHING;
  #byName: ReadonlyMap<string, SavedPersona> = new Map();
  #revision = 0;

  constructor(ports: HomePersonasPorts) {
    this.#ports = ports;
  }

  names(): readonly string[] {
    return this.list().map(({ name }) => name);
  }

  /** All that can be chosen, as they were when they were last looked for. */
  list(): readonly ListedPersona[] {
    return listedPersonas(this.#edited, this.#ports.config());
  }

  /**
   * The first of the choices: a session's own goes before its user's, place's and owner's. One that does not exist is
   * not passed over, as the next one may allow more.
   */
  of(session: PersonaSession): Persona | undefined {
    const draft = this.#drafts.get(session.id) ?? this.#drafts.get(session.state.parentId ?? "");
    if (draft !== undefined) return draft;
    const name = this.#choices(session).find((each) => each !== undefined && each !== "");
    if (name === undefined || name === NO_PERSONA) return undefined;
    return this.#named(name) ?? missingPersona(name, this.#edited.removed.get(name));
  }

  /** Looks for what other processes changed, once a second at most; when that cannot be read, what is known holds. */
  async refresh({ state: { user = "" } }: PersonaSession): Promise<void> {
    const { book, personaOf } = this.#ports;
    const looks = [
      this.#once("", async () => {
        const revision = await book.revision();
        if (revision === this.#revision) return;
        const edited = await book.all();
        this.#edited = edited;
        this.#byName = new Map(edited.saved.map((each) => [each.name, each]));
        this.#revision = revision;
      }),
    ];
    if (user !== "")
      looks.push(this.#once(user, async () => void this.#ofUsers.set(user, await personaOf(user))));
    await Promise.all(looks);
  }

  /** Takes what this process itself changed into account at once. */
  async changed(): Promise<void> {
    this.#looks.clear();
    await this.refresh({ id: "", state: EMPTY_STATE });
  }

  /** Lets a session answer as a draft that nobody saved; without fields it ends. */
  draft(sessionId: string, persona: Omit<ListedPersona, "source"> | undefined): void {
    if (persona === undefined) this.#drafts.delete(sessionId);
    else this.#drafts.set(sessionId, this.#persona(persona));
  }

  #once(key: string, look: () => Promise<void>): Promise<void> {
    const now = this.#ports.clock.monotonic();
    const last = this.#looks.get(key);
    if (last !== undefined && now - last.at < LOOK_EVERY_MS) return last.over;
    if (this.#looks.size >= MOST_LOOKS) this.#looks.clear();
    // The store says what is wrong with it to whoever writes to it next.
    const over = look().catch(() => undefined);
    this.#looks.set(key, { at: now, over });
    return over;
  }

  #choices({ id, state }: PersonaSession): readonly (string | undefined)[] {
    const { settings, platform, source, user, depth } = state;
    // A subagent has its parent's, or none.
    if (depth > 0) return [settings.persona];
    const place = platform === "chat" ? source : platform;
    const { channels, persona } = this.#ports.extraOf(place);
    const ofUser = user === undefined ? undefined : this.#ofUsers.get(user);
    const owners = this.#ports.config().agent?.persona;
    return [settings.persona, ofUser, channelPersona(id, place, channels), textOf(persona), owners];
  }

  #named(name: string): Persona | undefined {
    const saved = this.#byName.get(name);
    if (saved !== undefined) return this.#persona(saved);
    const fields = configuredFields(name, this.#ports.config());
    return fields && this.#persona({ name, fields });
  }

  #persona({ name, version, fields }: Omit<ListedPersona, "source">): Persona {
    const { model, ...rest } = fields;
    const chosen = model === undefined ? {} : this.#ports.parseModel(model);
    return { name, ...defined({ version }), ...rest, ...chosen };
  }
}

/** All personas that can be chosen by name. */
export function listedPersonas(
  { saved }: EditedPersonas,
  { personas = {}, personalities = {} }: PersonaBlocks,
): readonly ListedPersona[] {
  const listed = new Map<string, ListedPersona>();
  for (const { name, version, fields } of saved)
    listed.set(name, { name, source: "edited", version, fields });
  for (const [name, fields] of Object.entries(personas))
    if (!listed.has(name)) listed.set(name, { name, source: "config.yaml", fields });
  for (const [name, instructions] of Object.entries(personalities))
    if (!listed.has(name)) listed.set(name, { name, source: "personality", fields: { instructions } });
  return [...listed.values()];
}

function configuredFields(
  name: string,
  { personas = {}, personalities = {} }: PersonaBlocks,
): PersonaFields | undefined {
  if (Object.hasOwn(personas, name)) return personas[name];
  return Object.hasOwn(personalities, name) ? { instructions: personalities[name] ?? "" } : undefined;
}

/** The limits that a persona last had, else the narrowest: nobody gets more because one was removed or mistyped. */
function missingPersona(name: string, last: PersonaFields | undefined): Persona {
  const { toolsets, skills, collections, budget } = last ?? NARROWEST;
  return {
    name,
    missing: true,
    instructions: `You were to answer as the persona ${JSON.stringify(name)}, which does not exist. You may have fewer tools than usual, or none. Unless you did so before in this conversation, begin your answer with one sentence that says so, and that whoever runs this agent can put it right.`,
    ...defined({ toolsets, skills, collections, budget }),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A chat's conversations have its id in theirs, or a digest of it where an id may not have its characters. */
function channelPersona(id: string, place: string, channels: unknown): string | undefined {
  if (!isJsonObject(channels)) return undefined;
  for (const [channel, choice] of Object.entries(channels)) {
    const words = `${place}:${channel}`;
    const digest = createHash("sha256").update(words).digest("hex").slice(0, 24);
    const isThere = id.startsWith(`${words}:`) || id.startsWith(`${place}:${digest}:`);
    if (isThere && isJsonObject(choice)) return textOf(choice["persona"]);
  }
  return undefined;
}
