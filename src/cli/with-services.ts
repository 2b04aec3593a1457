import { type BackgroundServices, openServices } from "../app/background/background-services.ts";
import { openAgent } from "../app/compose.ts";
import type { Io } from "../app/process/io.ts";

/** Opens jobs and deliveries for one command. Sessions that a run leaves behind wait for nobody. */
export async function withServices(
  io: Io,
  work: (services: BackgroundServices) => Promise<void>,
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  await using services = openServices(agent, { cwd: io.cwd });
  await work(services);
}
