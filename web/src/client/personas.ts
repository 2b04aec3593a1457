import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { PersonaChoices, PersonaDetail, PersonaRow } from "../../../src/dashboard/api/persona-routes.ts";
import { ask } from "./dashboard-api.ts";

/** What a persona says and may use. */
export type PersonaFields = PersonaRow["fields"];

/** One version of a persona; without fields it was removed. */
export type PersonaVersion = PersonaDetail["versions"][number];

/** The address of a persona in the API. */
const personaPath = (name: string): string => `/personas/one/${encodeURIComponent(name)}`;

/** One persona with its versions. */
export const personaQuery = (name: string) =>
  queryOptions({
    queryKey: [personaPath(name)],
    queryFn: () => ask<PersonaDetail>("GET", personaPath(name)),
    // What is being written is not to be lost; a save says when somebody else was faster.
    refetchOnWindowFocus: false,
    retry: false,
  });

/** What a persona can name. */
export const personaChoicesQuery = queryOptions({
  queryKey: ["/personas/choices"],
  queryFn: () => ask<PersonaChoices>("GET", "/personas/choices"),
});

/** A change: without a version one that is made, without fields one that is removed. */
interface PersonaChange {
  readonly name: string;
  readonly fields?: PersonaFields;
  readonly version?: number;
}

/** Makes, changes or removes a persona, and lets all that shows it look again. */
export function usePersonaChange(onDone: () => void = () => undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, fields, version }: PersonaChange): Promise<unknown> => {
      if (fields === undefined) return ask("DELETE", personaPath(name), { version });
      if (version === undefined) return ask("POST", "/personas", { name, fields });
      return ask("PATCH", personaPath(name), { fields, version });
    },
    onSuccess: onDone,
    // Also when it was refused: somebody else may have been faster.
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith("/personas") }),
  });
}
