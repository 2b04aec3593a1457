import { openAgent } from "../../app/compose.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";
import type { Io } from "../../app/process/io.ts";
import type { SandboxStatus } from "../../providers/tools/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";

/** Checks where commands run, and tries to get out of the sandbox: one line for each escape. */
export async function* sandboxChecks(io: Io): AsyncGenerator<Check> {
  const name = "sandbox";
  try {
    await using agent = await openAgent(io, { resident: false });
    const { sandboxes } = agent;
    const { backend } = sandboxes.settings;
    if (backend === "local") {
      yield { name, ok: true, text: "off (terminal.backend: local): commands run as you, after an approval" };
      return;
    }
    const status = await sandboxes.status({ anew: true });
    if (status.available) {
      const { engine } = status;
      const what = engineWords(engine);
      yield {
        name,
        ok: true,
        text: `commands run inside (terminal.backend: ${backend}; ${what}, ${engine.file})`,
      };
    } else {
      const then =
        backend !== "auto"
          ? `Commands are refused (terminal.backend: ${backend}).`
          : "Commands ask, and run as you.";
      const ok = backend === "auto" && status.test === undefined;
      yield { name, ok, text: `none: ${status.reason} ${status.advice} ${then}` };
    }
    for (const { held, told } of status.test?.tries ?? []) yield { name, ok: held, text: told };
  } catch (thrown) {
    yield { name, ok: false, text: toHostError(thrown).message };
  }
}

/** What the walls are made of, with its version. */
function engineWords(engine: SandboxEngine): string {
  switch (engine.kind) {
    case "bubblewrap":
      return `bubblewrap ${engine.version}`;
    case "seatbelt":
      return "seatbelt";
    case "container":
      return `${engine.program} ${engine.version}, image ${engine.settings.image}`;
  }
}

type SandboxEngine = Extract<SandboxStatus, { available: true }>["engine"];
