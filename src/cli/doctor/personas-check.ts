import { openAgent } from "../../app/compose.ts";
import { missingPersonas } from "../../app/people/persona-uses.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";
import type { Io } from "../../app/process/io.ts";
import { counted } from "../../shared/text/counted.ts";

/** Checks that everybody for whom a persona was chosen has one of that name. */
export async function personasCheck(io: Io): Promise<Check> {
  await using agent = await openAgent(io, { resident: false });
  await agent.personas.changed();
  const missing = await missingPersonas(agent);
  const text =
    missing.length === 0
      ? counted(agent.personas.list().length, "persona")
      : missing.map(({ title, why }) => `${title}: ${why}`).join(" ");
  return { name: "personas", ok: missing.length === 0, text };
}
