import { Command, Option } from "commander";
import { HostError } from "../../shared/errors/host-error.ts";
import type { SearchProvider } from "../../providers/web/index.ts";
import type { SetupFlags } from "./setup.ts";
import { type Bind, given, number } from "../flags.ts";

/** `agent setup`: questions on a terminal; flags answer them beforehand. */
export function setupCommand(bind: Bind): Command {
  return new Command("setup")
    .description("choose the model, or with --web the search engine: asks on a terminal, or takes flags")
    .addOption(
      new Option("--provider <kind>", "whose model it is").choices([
        "openai",
        "cloud-foundry",
        "messages",
        "local",
        "demo",
      ]),
    )
    .addOption(
      new Option("--web <engine>", "set up searching the web instead of a model").choices([
        "searxng",
        "brave",
        "tavily",
      ]),
    )
    .option("--base-url <url>", "address of the endpoint", given)
    .option("--model <name>", "name of the model or deployment", given)
    .addOption(
      new Option("--api-mode <mode>", "what it speaks; found out by default").choices([
        "chat_completions",
        "responses_api",
        "messages_api",
      ]),
    )
    .option("--key-env <name>", "the variable that holds the key", given)
    .option("--key-stdin", "read the key from stdin and keep it in .env", false)
    .option("--keyless", "sign in by an identity of the cloud instead of a key", false)
    .option("--scope <scope>", "scope of the identity's token, where it is not the default", given)
    .option("--context-length <tokens>", "tokens of context; found out by default", number)
    .option("--no-check", "do not ask the model for an answer first")
    .option("--save-anyway", "save also what does not work yet", false)
    .addHelpText(
      "after",
      "\nThe key goes to .env in the agent's home, the rest to config.yaml. Exit codes: 0 it works, 1 it does not.",
    )
    .action(
      bind<SetupFlags & { readonly web?: SearchProvider }>(async (io, _args, { web, ...flags }) => {
        if (web !== undefined) {
          if (flags.provider !== undefined || flags.model !== undefined)
            throw new HostError(
              "command_usage",
              "--web is set up by itself: leave out --provider and --model.",
            );
          return await (await import("./web-search.ts")).setupWeb(io, { ...flags, web });
        }
        const { setup } = await import("./setup.ts");
        return await setup(io, flags);
      }),
    );
}
