import { type BackgroundProcess, type BackgroundProcesses } from "../../providers/tools/index.ts";
import type { ProcessPort, ProcessWire } from "../../rpc/ports.ts";
import { defined } from "../../shared/json/defined.ts";
import { cleanOutput } from "../../shared/text/control-sequences.ts";

/** Characters of a process's output that clients are shown: the last ones. */
const SHOWN = 60_000;

/** Commands in the background, for the gateway. */
export function processPort(background: BackgroundProcesses): ProcessPort {
  const find = (session: string, id: string) => background.list(session).find((each) => each.id === id);
  return {
    list: (session) => background.list(session).map(encode),
    toBackground: async (session, key, until) =>
      (await background.toBackground(session, key, until)).map(encode),
    output(session, id) {
      const found = find(session, id);
      return found && cleanOutput(found.output.since(0).text).slice(-SHOWN).toWellFormed();
    },
    async end(session, id) {
      const found = find(session, id);
      if (found === undefined) return undefined;
      if (found.exit !== undefined) return false;
      await background.end(found);
      return true;
    },
  };
}

function encode({ id, command, startedAt, exit, output }: BackgroundProcess): ProcessWire {
  return {
    process_id: id,
    command,
    status: exit === undefined ? "running" : "ended",
    started_at: startedAt / 1000,
    bytes: output.total,
    ...defined({ exit_code: exit?.code ?? undefined, signal: exit?.signal ?? undefined }),
  };
}
