import type { Services, SlashCommands } from "../../core/index.ts";
import type { ModelList } from "./model-list.ts";
import { optionsOf } from "./options.ts";
import type { StatusSources } from "./status-tracker.ts";

/** What a session's status is made of, from what the host has. */
export function statusSources(
  services: Services,
  { commands, models }: { readonly commands: SlashCommands; readonly models: ModelList },
): StatusSources {
  return {
    options: (state) =>
      optionsOf(state, { models: services.models(), policy: services.policy(), listing: models.now }),
    contextLength: ({ settings }) => {
      try {
        return services.models().resolve(settings).contextLength;
      } catch {
        // Nothing usable is configured; the next prompt says so.
        return 0;
      }
    },
    commands: (cwd) =>
      commands
        .all(cwd)
        .flatMap(({ name, description, args, category }) =>
          category === "Exit" ? [] : [{ name, description, args }],
        ),
  };
}
