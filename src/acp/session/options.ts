import {
  chosenModel,
  EFFORTS,
  MODE_WORDS,
  modeNamed,
  modeOf,
  NO_PERSONA,
  type Personas,
  requirePersona,
  SESSION_MODES,
  type Model,
  type ModelListing,
  type Models,
  type Policy,
  type Session,
  type SessionState,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { OptionChoice, SessionOption } from "../projection/status-update.ts";

/** The sources of a session's options. */
export interface OptionSources {
  readonly models: Models;
  readonly policy: Policy;
  /** The models that can be chosen, as far as they are known yet. */
  readonly listing: readonly ModelListing[];
  /** Names of the personas that can be chosen, as far as they are known yet. */
  readonly personas: readonly string[];
}

/** A change of an option, as a client asks for it. */
export interface OptionChange {
  readonly id: string;
  readonly value: unknown;
}

const DEFAULT = "default";

/** Lists a session's options, the most important first. */
export function optionsOf(state: SessionState, sources: OptionSources): readonly SessionOption[] {
  const model = modelOption(state, sources);
  return [
    modeOption(state, sources.policy),
    ...(model === undefined ? [] : [model]),
    effortOption(state),
    ...(sources.personas.length === 0 ? [] : [personaOption(state, sources.personas)]),
  ];
}

/** Chooses a value for an option. @throws HostError `invalid_params` for an unknown option or value, `model_*` */
export async function chooseOption(
  session: Session,
  { id, value }: OptionChange,
  { models, personas }: { readonly models: Models; readonly personas: Personas | undefined },
): Promise<void> {
  if (typeof value !== "string") throw noSuchValue(id, JSON.stringify(value));
  switch (id) {
    case "mode": {
      const mode = modeNamed(value);
      if (mode === undefined) throw noSuchValue(id, value);
      return await session.set({ mode });
    }
    case "model": {
      const { provider, name } = await chosenModel(models, value);
      return await session.set({ provider, model: name });
    }
    case "reasoning":
      if (value !== DEFAULT && !EFFORTS.includes(value)) throw noSuchValue(id, value);
      return await session.set({ reasoning: value === DEFAULT ? null : value });
    case "persona":
      if (value !== DEFAULT) await requirePersona(personas, value);
      return await session.set({ persona: value === DEFAULT ? null : value });
    default:
      throw new HostError("invalid_params", `There is no option "${id}": mode, model, reasoning or persona.`);
  }
}

const noSuchValue = (id: string, value: string): HostError =>
  new HostError("invalid_params", `The option ${id} has no value ${value}.`, { details: { subject: id } });

function modeOption({ settings }: SessionState, { approvals }: Policy): SessionOption {
  return {
    id: "mode",
    name: "Mode",
    description: "What the agent does without asking",
    category: "mode",
    current: modeOf(settings, approvals),
    choices: SESSION_MODES.map((value) => ({ value, ...MODE_WORDS[value] })),
  };
}

function modelOption(
  { settings }: SessionState,
  { models, listing }: OptionSources,
): SessionOption | undefined {
  const current = currentModel(models, settings);
  if (current === undefined) return undefined;
  const several = new Set(listing.map(({ provider }) => provider)).size > 1;
  const choices = new Map<string, OptionChoice>();
  for (const { provider, model, label } of [
    { provider: current.provider, model: current.name, label: undefined },
    ...listing,
  ]) {
    const value = `${provider}:${model}`;
    choices.set(value, { value, name: label ?? (several ? value : model) });
  }
  return {
    id: "model",
    name: "Model",
    description: "The model for the next call",
    category: "model",
    current: `${current.provider}:${current.name}`,
    choices: [...choices.values()],
  };
}

function currentModel(models: Models, settings: SessionState["settings"]): Model | undefined {
  try {
    return models.resolve(settings);
  } catch {
    // No usable model is configured: the next prompt says so, and how to mend it.
    return undefined;
  }
}

function effortOption({ settings }: SessionState): SessionOption {
  return {
    id: "reasoning",
    name: "Reasoning",
    description: "How much the model thinks before it answers",
    category: "thought_level",
    current: settings.reasoning ?? DEFAULT,
    choices: [DEFAULT, ...EFFORTS].map((value) => ({ value, name: nameOf(value) })),
  };
}

function personaOption({ settings }: SessionState, names: readonly string[]): SessionOption {
  const current = settings.persona ?? DEFAULT;
  const values = [...new Set([DEFAULT, NO_PERSONA, ...names, current])];
  return {
    id: "persona",
    name: "Persona",
    description: "Who answers: with whose instructions and tools",
    category: "_persona",
    current,
    choices: values.map((value) => ({
      value,
      name: value === DEFAULT || value === NO_PERSONA ? nameOf(value) : value,
    })),
  };
}

const nameOf = (value: string): string => `${value.slice(0, 1).toUpperCase()}${value.slice(1)}`;
