import { openAgent } from "../../app/compose.ts";
import { type Io, writeLines } from "../../app/process/io.ts";
import { resetOperator } from "../../dashboard/index.ts";

/** `agent dashboard reset`: for a lost phone, by whoever owns the home. */
export async function resetDashboard(io: Io): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const { records } = agent.store;
  const had = await resetOperator(records, agent.host.services);
  await writeLines(
    io.stdout,
    had
      ? "Password and authenticator are taken away, and everybody is signed out. `agent dashboard` prints an address that lets you in.\n"
      : "There was no password. Everybody is signed out. `agent dashboard` prints an address that lets you in.\n",
  );
}
