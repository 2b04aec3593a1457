import type { Io } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { command, flag, JSON_FLAG, option, SET_OPTION, type Values } from "../command.ts";
import { EDITORS } from "./bootstrap/editors.ts";

const TAKES = {
  bootstrap: flag("print what editors need to know to start the agent"),
  ide: option("<name>", "with --bootstrap or --check: for one editor only", { choices: EDITORS }),
  write: flag("with --bootstrap and --ide: put it into the editor's file"),
  check: flag("start the agent as an editor would, or as its own file (--ide) says, and see what happens"),
  setup: flag("choose a model first, by questions on this terminal: what editors run to log in"),
  set: SET_OPTION,
  json: JSON_FLAG,
};

/** `agent acp`: serves editors, or tells them how to start the agent. */
export const ACP_COMMAND = command("acp", "serve the Agent Client Protocol on stdio, for editors", {
  takes: TAKES,
  load: () => Promise.resolve(acpCommand),
});

async function acpCommand(io: Io, flags: Values<typeof TAKES>): Promise<number | undefined> {
  const { setup, bootstrap = false, write = false, check = false, set, ...rest } = flags;
  if (set !== undefined && (setup === true || bootstrap || check || write))
    throw new HostError("command_usage", "--set is for serving: it goes with none of the other options.");
  if (setup === true) {
    const { setup: ask } = await import("../setup/setup.ts");
    return await ask(io, { keyStdin: false, keyless: false, check: true, saveAnyway: false });
  }
  if (bootstrap || check)
    return await (await import("./bootstrap/bootstrap.ts")).bootstrap(io, { ...rest, write, check });
  if (write || rest.json || rest.ide !== undefined)
    throw new HostError(
      "command_usage",
      "--ide, --write and --json go with --bootstrap, --ide and --json with --check too.",
    );
  return await (await import("./acp.ts")).acp(io);
}
