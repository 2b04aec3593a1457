import { chosenModel, type Models } from "../../core/index.ts";
import {
  type PersonaBook,
  readPersona,
  type PersonaFields,
  type SavedPersona,
} from "../../people/personas/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";
import { checkToolsets } from "../config/toolset-names.ts";
import type { HomePersonas, PersonaSource } from "./home-personas.ts";
import { type PersonaUse, usesText } from "./persona-uses.ts";

/** The ports of `PersonaChanges`. */
export interface PersonaChangePorts {
  readonly book: PersonaBook;
  readonly personas: Pick<HomePersonas, "list" | "changed">;
  readonly models: () => Pick<Models, "resolve" | "parse" | "list">;
  /** Names of the skills that there are. */
  readonly skills: () => readonly string[];
  readonly uses: () => Promise<readonly PersonaUse[]>;
}

/** A change, by whom, and the version that they saw; 0 when they saw none. */
export interface SeenBy {
  readonly by: string;
  readonly version: number;
}

/** The changes that people make of personas, with what they name looked up before it is saved. */
export class PersonaChanges {
  readonly #ports: PersonaChangePorts;

  constructor(ports: PersonaChangePorts) {
    this.#ports = ports;
  }

  /** @throws HostError `invalid_params`, `conflict` when somebody else changed it, or it stands in config.yaml */
  async save(name: string, given: unknown, seen: SeenBy): Promise<SavedPersona> {
    const { book, personas } = this.#ports;
    await personas.changed();
    const before = personas.list().find((each) => each.name === name);
    const fields = await this.check(name, given, before?.fields);
    if (before !== undefined && before.source !== "edited") throw configured(name, before.source);
    const saved = await book.save(name, fields, seen);
    await personas.changed();
    return saved;
  }

  /** @throws HostError `not_found`, `conflict` while somebody uses it */
  async remove(name: string, seen: SeenBy): Promise<void> {
    const { book, personas } = this.#ports;
    await personas.changed();
    const found = personas.list().find((each) => each.name === name);
    if (found !== undefined && found.source !== "edited") throw configured(name, found.source);
    const uses = (await this.#ports.uses()).filter(({ persona }) => persona === name);
    if (uses.length > 0)
      throw new HostError(
        "conflict",
        `The persona ${name} was not removed: it answers for ${usesText(uses)}. Choose another one there, then remove it.`,
        { details: { subject: name } },
      );
    await book.remove(name, seen);
    await personas.changed();
  }

  /**
   * Reads the fields of a persona, and looks up what they name. What it named before may be gone by now.
   *
   * @throws HostError `invalid_params`, `model_unknown`
   */
  async check(name: string, given: unknown, before?: PersonaFields): Promise<PersonaFields> {
    const fields = readPersona(name, given);
    const { toolsets = [], skills = [], model } = fields;
    checkToolsets(toolsets.filter((each) => before?.toolsets?.includes(each) !== true));
    const known = this.#ports.skills();
    for (const skill of skills) {
      if (known.includes(skill) || before?.skills?.includes(skill) === true) continue;
      throw unknown({ key: "skills", what: "skill", name: skill, known });
    }
    if (model !== undefined && model !== before?.model) await this.#checkModel(model);
    return fields;
  }

  /** A name alone is one that the default provider lists; `provider:model` may be any. */
  async #checkModel(text: string): Promise<void> {
    const models = this.#ports.models();
    const { provider, name } = await chosenModel(models, text);
    if (models.parse(text).provider !== undefined) return;
    const listed = await models.list(AbortSignal.timeout(LIST_MS));
    const known = listed.filter((each) => each.provider === provider).map(({ model }) => model);
    if (known.length === 0 || known.includes(name)) return;
    throw unknown({
      key: "model",
      what: `model of ${provider}`,
      name,
      known,
      more: ` ${provider}:${name} takes one that is not listed.`,
    });
  }
}

const LIST_MS = 10_000;
const MOST_NAMED = 20;
const MOST_SHOWN = 80;

interface Unknown {
  readonly key: string;
  readonly what: string;
  readonly name: string;
  readonly known: readonly string[];
  readonly more?: string;
}

function unknown({ key, what, name, known, more = "" }: Unknown): HostError {
  const near = nearestName(name, known);
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  const there = known.length === 0 ? "none" : known.slice(0, MOST_NAMED).join(", ");
  return new HostError(
    "invalid_params",
    `${key}: there is no ${what} ${JSON.stringify(name.slice(0, MOST_SHOWN))}.${meant} There are ${there}.${more}`,
    { details: { subject: key } },
  );
}

const configured = (name: string, source: PersonaSource): HostError =>
  new HostError(
    "conflict",
    `The persona ${name} stands in config.yaml (${source === "personality" ? "personalities" : "personas"}.${name}). Change it there, or make a copy of it under another name.`,
    { details: { subject: name } },
  );
