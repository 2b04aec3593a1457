import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { PersonaRow } from "../../../../src/dashboard/api/persona-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { Field } from "../../design/field.tsx";

interface PersonaFieldProps {
  readonly defaultValue: string;
  readonly hint: string;
  readonly fault: string | undefined;
}

/** Takes the name of a persona, and offers those that there are. */
export function PersonaField(props: PersonaFieldProps) {
  const list = useId();
  const { data } = useQuery({
    queryKey: ["/personas", "names"],
    queryFn: async () =>
      (await ask<{ readonly data: readonly PersonaRow[] }>("GET", "/personas?limit=500")).data,
  });
  return (
    <>
      <Field label="Persona" name="persona" list={list} {...props} />
      <datalist id={list}>
        {(data ?? []).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
