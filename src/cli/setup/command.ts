import type { Io } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { command } from "../command.ts";
import { SETUP_FLAGS, type SetupFlags } from "./setup-flags.ts";

/** `agent setup`: questions on a terminal; flags answer them beforehand. */
export const SETUP_COMMAND = command(
  "setup",
  "choose the model, with --web the search engine, with --platform a chat platform: asks on a terminal, or takes flags",
  {
    takes: SETUP_FLAGS,
    help: "The key goes to .env in the agent's home, the rest to config.yaml. Exit codes: 0 it works, 1 it does not.",
    load: () => Promise.resolve(setupCommand),
  },
);

async function setupCommand(io: Io, { web, platform, ...flags }: SetupFlags): Promise<number | undefined> {
  if (platform !== undefined) {
    if (web !== undefined || flags.provider !== undefined || flags.model !== undefined)
      throw new HostError(
        "command_usage",
        "--platform is set up by itself: leave out --web, --provider and --model.",
      );
    return await (await import("./chat-platform.ts")).setupPlatform(io, { ...flags, platform });
  }
  if (web === undefined) return await (await import("./setup.ts")).setup(io, flags);
  if (flags.provider !== undefined || flags.model !== undefined)
    throw new HostError("command_usage", "--web is set up by itself: leave out --provider and --model.");
  return await (await import("./web-search.ts")).setupWeb(io, { ...flags, web });
}
