import { createHash } from "node:crypto";
import {
  NO_PERSONA,
  type ModelRef,
  type Persona,
  type Personas,
  type PersonaSession,
} from "../../core/index.ts";
import type { PersonaBook, PersonaFields } from "../../people/personas/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { isJsonObject } from "../../shared/json/json.ts";

/** A prompt is not to wait for the store when another one just did. */
const LOOK_EVERY_MS = 1000;

/** The ports of `HomePersonas`. */
export interface HomePersonasPorts {
  readonly clock: Clock;
  readonly book: PersonaBook;
  /** The persona that somebody on the roster has. */
  readonly personaOf: (userId: string) => Promise<string | undefined>;
  /** The configuration as it is now. */
  readonly config: () => {
    readonly personas?: Readonly<Record<string, PersonaFields>> | undefined;
    readonly personalities?: Readonly<Record<string, string>> | undefined;
    readonly agent?: { readonly persona?: string | undefined } | undefined;
  };
  /** The block `extra` of a platform. */
  readonly extraOf: (platform: string) => Readonly<Record<string, unknown>>;
  readonly parseModel: (text: string) => ModelRef;
}

/** The personas of a home: those that people edit, then those of the configuration, then its old personalities. */
export class HomePersonas implements Personas {
  readonly #ports: HomePersonasPorts;
  readonly #ofUsers = new Map<string, string | undefined>();
  /** By user, and by nobody: when was looked last, and the look. */
  readonly #looks = new Map<string, { readonly at: number; readonly over: Promise<void> }>();
  #edited: ReadonlyMap<string, { readonly fields: PersonaFields; readonly version?: number }> = new Map();
  #revision = 0;

  constructor(ports: HomePersonasPorts) {
    this.#ports = ports;
  }

  names(): readonly string[] {
    const { personas = {}, personalities = {} } = this.#ports.config();
    return [...new Set([...this.#edited.keys(), ...Object.keys(personas), ...Object.keys(personalities)])];
  }

  /** The first of the choices that there is: a session's own goes before its user's, place's and owner's. */
  of(session: PersonaSession): Persona | undefined {
    for (const name of this.#choices(session)) {
      if (name === NO_PERSONA) return undefined;
      const persona = name === undefined ? undefined : this.#named(name);
      if (persona !== undefined) return persona;
    }
    return undefined;
  }

  /** Looks for what other processes changed, once a second at most; when that cannot be read, what is known holds. */
  refresh({ state: { user = "" } }: PersonaSession): Promise<void> {
    const now = this.#ports.clock.monotonic();
    const last = this.#looks.get(user);
    if (last !== undefined && now - last.at < LOOK_EVERY_MS) return last.over;
    const over = this.#look(user);
    this.#looks.set(user, { at: now, over });
    return over;
  }

  async #look(user: string): Promise<void> {
    const { book, personaOf } = this.#ports;
    try {
      if (user !== "") this.#ofUsers.set(user, await personaOf(user));
      const revision = await book.revision();
      if (revision === this.#revision) return;
      const saved = await book.list();
      this.#edited = new Map(saved.map((each) => [each.name, each]));
      this.#revision = revision;
    } catch {
      // The store says so to whoever writes to it next.
    }
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
    const { personas = {}, personalities = {} } = this.#ports.config();
    const edited = this.#edited.get(name);
    const words: PersonaFields | undefined = Object.hasOwn(personalities, name)
      ? { instructions: personalities[name] ?? "" }
      : undefined;
    const fields = edited?.fields ?? (Object.hasOwn(personas, name) ? personas[name] : words);
    if (fields === undefined) return undefined;
    const { model, ...rest } = fields;
    const chosen = model === undefined ? {} : this.#ports.parseModel(model);
    return {
      name,
      ...(edited?.version === undefined ? {} : { version: edited.version }),
      ...rest,
      ...chosen,
    };
  }
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
