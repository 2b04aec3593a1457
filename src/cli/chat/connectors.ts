import { connectorList } from "../../app/chat/connector-list.ts";
import { openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent connectors`: one line a platform. */
export async function listConnectors(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const listed = await connectorList(agent.settings, agent.store.records);
  if (json) return await printJson(io, listed);
  const lines = listed.map(({ platform, state, since, lastError, lastErrorAt, reason, botName }) =>
    forTerminalLine(
      [
        platform.padEnd(12),
        state === "disabled" ? state : state.padEnd(10),
        botName ?? "",
        since === undefined ? "" : `since ${localTime(since)}`,
        reason ?? "",
        lastError === undefined ? "" : `last error${at(lastErrorAt)}: ${lastError}`,
      ]
        .filter((part) => part !== "")
        .join("  "),
    ),
  );
  await write(io.stdout, `${lines.join("\n")}\n`);
}

const at = (time: number | undefined): string => (time === undefined ? "" : ` at ${localTime(time)}`);
