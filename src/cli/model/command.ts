import { argument, command, JSON_FLAG } from "../command.ts";

/** `agent model`. */
export const MODEL_COMMAND = command("model", "show the models, or choose the default one", {
  takes: { choice: argument("[provider:model]", "the new default"), json: JSON_FLAG },
  load: async () => (await import("./model.ts")).model,
});
