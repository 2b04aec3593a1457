import { Link } from "@tanstack/react-router";
import type { PersonaRow } from "../../../../src/dashboard/api/persona-routes.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { classes } from "../../design/classes.ts";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { PersonaUses } from "./persona-uses.tsx";
import styles from "./personas.module.css";

/** All personas, with who uses each. */
export function Personas() {
  const [{ q }] = useFilters();
  const { entries, more, error } = useListPages<PersonaRow>("/personas", { q });
  return (
    <Page
      title="Personas"
      about="What conversations answer as: instructions, a model, and what they may use."
      actions={
        <Link to="/personas/new" className={classes(buttons["button"], buttons["primary"])}>
          New persona
        </Link>
      }
    >
      <FilterBar label="Filter personas" />
      <Fault error={error} />
      <Panel
        title="Personas"
        flush
        actions={more === undefined ? undefined : <Button onClick={more}>Show more</Button>}
      >
        {entries === undefined ? null : entries.length > 0 ? (
          <PersonaTable personas={entries} />
        ) : q === undefined ? (
          <Empty title="No persona yet">
            <p>
              Make one with <Link to="/personas/new">New persona</Link>, or put it under <code>personas</code>{" "}
              in config.yaml. Until then all conversations answer as the agent itself.
            </p>
          </Empty>
        ) : (
          <Empty title="No persona has these words">
            <p>Take words out of the filter.</p>
          </Empty>
        )}
      </Panel>
    </Page>
  );
}

/** Words for the place of a persona. */
export const SOURCES: Readonly<Record<PersonaRow["source"], string>> = {
  edited: "Edited here",
  "config.yaml": "config.yaml",
  personality: "Old personality",
};

function PersonaTable({ personas }: { readonly personas: readonly PersonaRow[] }) {
  return (
    <Table caption="Personas">
      <TableHead columns={["Persona", "Where from", "Model", "May use", "Who uses it"]} />
      <tbody>
        {personas.map(({ name, source, version, fields, uses }) => (
          <tr key={name}>
            <td>
              <Link to="/personas/edit/$name" params={{ name }}>
                {name}
              </Link>
              <p className={styles["words"]}>{fields.instructions.split("\n", 1)[0]}</p>
            </td>
            <td>
              <Badge>{version === undefined ? SOURCES[source] : `${SOURCES[source]}, ${version}`}</Badge>
            </td>
            <td>{fields.model ?? "The default one"}</td>
            <td>{limitsText(fields)}</td>
            <td>
              <PersonaUses uses={uses} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function limitsText({ toolsets, skills, collections, budget }: PersonaRow["fields"]): string {
  const list = (name: string, values: readonly string[] | undefined): readonly string[] =>
    values === undefined ? [] : [`${name}: ${values.join(", ") || "none"}`];
  const most = [
    budget?.tokens === undefined ? [] : [`${budget.tokens.toLocaleString()} tokens`],
    budget?.cost === undefined ? [] : [`$${budget.cost}`],
  ].flat();
  const limits = [
    ...list("toolsets", toolsets),
    ...list("skills", skills),
    ...list("collections", collections),
    ...(most.length === 0 ? [] : [`at most ${most.join(", ")}`]),
  ];
  return limits.join("; ") || "All that its place has";
}
