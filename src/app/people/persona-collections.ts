import { HostError } from "../../shared/errors/host-error.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import type { Agent } from "../compose.ts";

/** The collections that a persona's sessions search; `undefined` for all. @throws HostError `not_found` */
export async function collectionsOfPersona(
  { personas }: Pick<Agent, "personas">,
  name: string,
): Promise<readonly string[] | undefined> {
  await personas.changed();
  const found = personas.list().find((each) => each.name === name);
  if (found !== undefined) return found.fields.collections;
  throw new HostError(
    "not_found",
    `There is no persona ${visibleInLine(name)}. \`agent persona list\` lists those that there are.`,
  );
}
