import { openAgent } from "../../app/compose.ts";
import { servingProcesses } from "../../app/background/gateway-runs.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { formatAge } from "../../shared/text/format.ts";
import { printJson } from "../terminal/output.ts";

/** `agent gateway status`: the processes that serve the home. */
export async function gatewayStatus(io: Io, { json }: { readonly json: boolean }): Promise<number> {
  await using agent = await openAgent(io, { resident: false });
  const found = await servingProcesses(agent.store.records);
  const isServed = found.length > 0 && found.every(({ ready }) => ready);
  if (json) await printJson(io, found);
  else {
    const now = Date.now();
    const lines = found.map(
      ({ pid, version, startedAt, ready }) =>
        `Process ${pid}, version ${version}, since ${formatAge(now - startedAt)}: ${ready ? "ready" : "starting"}`,
    );
    await write(io.stdout, `${lines.join("\n") || "No process serves this home: `agent gateway` does."}\n`);
  }
  return isServed ? EXIT.completed : EXIT.failed;
}
