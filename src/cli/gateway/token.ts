import { gatewayToken } from "../../app/rpc/gateway-token.ts";
import { makeHome } from "../../app/config/home.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";

/** `agent gateway token`: prints the token of the gateway's WebSocket, and on stderr where it is. */
export async function printToken(io: Io): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  makeHome(settings.paths);
  const { token, source } = gatewayToken(settings);
  if (io.stderr.isTTY === true)
    await writeLines(io.stderr, `It is in ${source}. Clients read AGENT_GATEWAY_TOKEN.\n`);
  await write(io.stdout, `${token}\n`);
}
