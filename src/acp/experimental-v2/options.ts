import type {
  AvailableCommand,
  SessionConfigOption,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { OfferedCommand, SessionOption } from "../projection/status-update.ts";

/** Writes options, the most important first. */
export function configOptions(options: readonly SessionOption[]): SessionConfigOption[] {
  return options.map(({ id, name, description, category, current, choices }) => ({
    type: "select",
    configId: id,
    name,
    description,
    category,
    currentValue: current,
    options: choices.map((choice) => ({ ...choice })),
  }));
}

export function availableCommands(commands: readonly OfferedCommand[]): AvailableCommand[] {
  return commands.map(({ name, description, args }) => ({
    type: "command",
    name,
    description,
    ...(args === "" ? {} : { input: { type: "text", hint: args } }),
  }));
}
