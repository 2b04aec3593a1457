import { Pairing } from "../../chat/index.ts";
import { openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent pair`. @throws HostError `not_found`, `conflict` */
export async function pair(
  io: Io,
  { code, json }: { readonly code?: string; readonly json: boolean },
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const pairing = new Pairing(agent.store.records, agent.host.services.clock);
  if (code !== undefined) {
    const { platform, person } = await pairing.approve(code);
    if (json) return await printJson(io, { platform, person });
    return await write(
      io.stdout,
      `${forTerminalLine(`${person.name} (${platform} ${person.id})`)} may talk to the agent now.\n`,
    );
  }
  const open = await pairing.open();
  if (json) return await printJson(io, open);
  const lines = open.map(({ code: each, platform, person, expiresAt }) =>
    forTerminalLine(`${each}  ${platform}  ${person.name} (${person.id})  until ${localTime(expiresAt)}`),
  );
  await write(io.stdout, `${lines.length === 0 ? "No pairing code is open." : lines.join("\n")}\n`);
}
