import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useGateway } from "../../client/gateway.ts";
import { skillsQuery, type SkillEntry, useSkillSwitch } from "../../client/skills.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";

/** The skills of the home and of the folder in which the agent works. */
export function Skills() {
  const [{ q = "" }] = useFilters();
  const { data, error } = useQuery(skillsQuery(useGateway(), q));
  return (
    <Page title="Skills" about="Instructions for kinds of work, which the agent takes up when it needs them.">
      <FilterBar label="Filter skills" />
      <Fault error={error} />
      <Panel title="Skills" flush>
        {data === undefined ? null : data.skills.length > 0 ? (
          <SkillTable skills={data.skills} />
        ) : q === "" ? (
          <Empty title="No skill yet">
            <p>
              Put a folder with a <code>SKILL.md</code> into <code>skills</code> of the agent's home, or into{" "}
              <code>.agent/skills</code> of a workspace. It shows here at once.
            </p>
          </Empty>
        ) : (
          <Empty title="No skill has these words">
            <p>Take words out of the filter.</p>
          </Empty>
        )}
      </Panel>
      {data === undefined || data.warnings.length === 0 ? null : (
        <Panel title="What is wrong with files">
          <ul>
            {data.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Panel>
      )}
    </Page>
  );
}

function SkillTable({ skills }: { readonly skills: readonly SkillEntry[] }) {
  const change = useSkillSwitch();
  return (
    <>
      <Fault error={change.error} />
      <Table caption="Skills">
        <TableHead
          columns={[
            "Skill",
            "What it is for",
            "Category",
            "From",
            "State",
            { name: "Actions", look: "hidden" },
          ]}
        />
        <tbody>
          {skills.map(({ name, description, category, source, enabled }) => (
            <tr key={name}>
              <td>
                <Link to="/skills/$name" params={{ name }}>
                  {name}
                </Link>
              </td>
              <td>{description}</td>
              <td>{category}</td>
              <td>{source === "home" ? "Home" : "Workspace"}</td>
              <td>{enabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}</td>
              <td data-align="right">
                <Button
                  aria-label={`Switch ${enabled ? "off" : "on"} ${name}`}
                  disabled={change.isPending}
                  onClick={() => change.mutate({ name, enabled: !enabled })}
                >
                  {enabled ? "Switch off" : "Switch on"}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
