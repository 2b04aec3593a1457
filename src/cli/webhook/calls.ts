import { incomingCall, incomingCalls } from "../../app/background/incoming-calls.ts";
import { type Io, write } from "../../app/process/io.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { fieldLines, printJson } from "../terminal/output.ts";
import { withServices } from "../with-services.ts";

/** `agent webhook calls list`: the newest calls first, also those that were refused. */
export function listCalls(
  io: Io,
  { limit, json }: { readonly limit: number; readonly json: boolean },
): Promise<void> {
  return withServices(io, async (services) => {
    const { data } = await incomingCalls(services, { limit, words: "", state: "" });
    if (json) return await printJson(io, data);
    if (data.length === 0) return await write(io.stdout, "Nothing was received.\n");
    for (const { id, at, outcome, route, event = "", reason = "" } of data) {
      const text = forTerminalLine(`${route}  ${event}  ${id}  ${reason}`).slice(0, 160);
      await write(io.stdout, `${localTime(at * 1000)}  ${outcome.padEnd(9)}  ${text}\n`);
    }
  });
}

/** `agent webhook calls show`: one with the beginning of its body, and its answer. */
export function showCall(
  io: Io,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  return withServices(io, async (services) => {
    const call = await incomingCall(services, id);
    if (json) await printJson(io, call);
    else await write(io.stdout, fieldLines({ ...call, at: localTime(call.at * 1000) }));
  });
}
