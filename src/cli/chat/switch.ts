import { withLiveSettings } from "../../app/config/with-live-settings.ts";
import { makeHome } from "../../app/config/home.ts";
import { sendTestMessage } from "../../app/chat/test-message.ts";
import { wishRestart } from "../../app/chat/restart-connector.ts";
import { switchConnector } from "../../app/chat/switch-connector.ts";
import { type Io, write } from "../../app/process/io.ts";
import { openServices } from "../../app/background/background-services.ts";
import { openAgent } from "../../app/compose.ts";

interface Named {
  readonly platform: string;
}

/** `agent connectors on`. @throws HostError `not_found`, `conflict`, `invalid_params` */
export const switchOn = (io: Io, { platform }: Named): Promise<void> => turn(io, platform, true);

/** `agent connectors off`. @throws HostError `not_found`, `conflict` */
export const switchOff = (io: Io, { platform }: Named): Promise<void> => turn(io, platform, false);

/** `agent connectors restart`. @throws HostError `not_found` */
export async function restartConnector(io: Io, { platform }: Named): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  await wishRestart(agent, platform);
  await write(io.stdout, `A gateway that runs ${platform} starts it anew within seconds.\n`);
}

/** `agent connectors test`. @throws HostError `invalid_params`, `delivery_failed`, `fetch_failed`, `timeout` */
export async function testConnector(
  io: Io,
  { platform, chat }: Named & { readonly chat?: string },
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  await using services = openServices(agent, { cwd: io.cwd });
  await sendTestMessage(services, { platform, chat }, agent.host.services);
  await write(io.stdout, `A test message was sent to ${platform}.\n`);
}

async function turn(io: Io, platform: string, enabled: boolean): Promise<void> {
  const before = await withLiveSettings(io, async (live) => {
    makeHome(live.current.paths);
    return await switchConnector(live, platform, enabled);
  });
  const state = enabled ? "on" : "off";
  const text =
    before === enabled ? `was ${state} already` : `is ${state}; a gateway that runs follows within seconds`;
  await write(io.stdout, `${platform} ${text}.\n`);
}
