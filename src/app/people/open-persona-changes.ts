import { PersonaBook } from "../../people/personas/index.ts";
import type { Agent } from "../compose.ts";
import { PersonaChanges } from "./persona-changes.ts";
import { personaUses } from "./persona-uses.ts";

/** The parts of an agent that its personas are changed with. */
export type PersonaParts = Pick<Agent, "host" | "store" | "live" | "personas" | "knowledge">;

/** Opens the changes of a home's personas. @param cwd - folder whose skills may be named beside the home's */
export function openPersonaChanges(
  { host, store, live, personas, knowledge }: PersonaParts,
  cwd: string,
): { readonly book: PersonaBook; readonly changes: PersonaChanges } {
  const { clock } = host.services;
  const book = new PersonaBook(store.records, { clock });
  const changes = new PersonaChanges({
    book,
    personas,
    models: () => live.models,
    skills: () => knowledge.skills.list(cwd).skills.map(({ name }) => name),
    uses: () => personaUses({ settings: live.current, records: store.records }),
  });
  return { book, changes };
}
