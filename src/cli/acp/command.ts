import { Command, Option } from "commander";
import { HostError } from "../../shared/errors/host-error.ts";
import { EDITORS, type EditorId } from "./bootstrap/editors.ts";
import { type Bind, json } from "../flags.ts";

interface AcpFlags {
  bootstrap?: boolean;
  ide?: EditorId;
  json: boolean;
  write?: boolean;
  check?: boolean;
  setup?: boolean;
}

/** `agent acp`: serves editors, or tells them how to start the agent. */
export function acpCommand(bind: Bind): Command {
  return new Command("acp")
    .description("serve the Agent Client Protocol on stdio, for editors")
    .option("--bootstrap", "print what editors need to know to start the agent")
    .addOption(
      new Option("--ide <name>", "with --bootstrap or --check: for one editor only").choices(EDITORS),
    )
    .option("--write", "with --bootstrap and --ide: put it into the editor's file")
    .option(
      "--check",
      "start the agent as an editor would, or as its own file (--ide) says, and see what happens",
    )
    .option("--setup", "choose a model first, by questions on this terminal: what editors run to log in")
    .addOption(json())
    .action(
      bind<AcpFlags>(async (io, _args, { bootstrap = false, write = false, check = false, ...flags }) => {
        if (flags.setup === true) {
          const { setup } = await import("../setup/setup.ts");
          return await setup(io, { keyStdin: false, keyless: false, check: true, saveAnyway: false });
        }
        if (bootstrap || check) {
          const command = await import("./bootstrap/bootstrap.ts");
          return await command.bootstrap(io, { ...flags, write, check });
        }
        if (write || flags.json || flags.ide !== undefined)
          throw new HostError(
            "command_usage",
            "--ide, --write and --json go with --bootstrap, --ide and --json with --check too.",
          );
        const { acp } = await import("./acp.ts");
        return await acp(io);
      }),
    );
}
