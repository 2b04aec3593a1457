import type { SessionConfigOption, SessionModeState, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { OfferedCommand, OptionChoice, SessionOption } from "../projection/status-update.ts";

/** Writes options, the most important first. */
export function configOptions(options: readonly SessionOption[]): SessionConfigOption[] {
  return options.map(({ id, name, description, category, current, choices }) => ({
    type: "select",
    id,
    name,
    description,
    category,
    currentValue: current,
    options: choices.map((choice) => ({ ...choice })),
  }));
}

/** Writes the mode in the form that came before options; `undefined` when there is none. */
export function modeState(options: readonly SessionOption[]): SessionModeState | undefined {
  const mode = options.find(({ id }) => id === "mode");
  if (mode === undefined) return undefined;
  return {
    currentModeId: mode.current,
    availableModes: mode.choices.map(({ value: id, ...shown }) => ({ id, ...shown })),
  };
}

/** The models in the form that came before options. No schema of today has it; clients of its time read it. */
export interface ModelState {
  readonly currentModelId: string;
  readonly availableModels: readonly ({ readonly modelId: string } & Omit<OptionChoice, "value">)[];
}

/** Writes the models in the form that came before options; `undefined` when none is usable. */
export function modelState(options: readonly SessionOption[]): ModelState | undefined {
  const model = options.find(({ id }) => id === "model");
  if (model === undefined) return undefined;
  return {
    currentModelId: model.current,
    availableModels: model.choices.map(({ value: modelId, ...shown }) => ({ modelId, ...shown })),
  };
}

export function commandsUpdate(commands: readonly OfferedCommand[]): SessionUpdate {
  const availableCommands = commands.map(({ name, description, args }) => ({
    name,
    description,
    ...(args === "" ? {} : { input: { hint: args } }),
  }));
  return { sessionUpdate: "available_commands_update", availableCommands };
}
