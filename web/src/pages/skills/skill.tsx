import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useGateway } from "../../client/gateway.ts";
import { skillQuery } from "../../client/skills.ts";
import { Facts } from "../../design/facts.tsx";
import { Markdown } from "../../design/markdown.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Page } from "../../layout/page.tsx";

/** One skill: what it says, and what lies beside it. */
export function Skill() {
  const { name } = useParams({ from: "/skills/$name" });
  const { data: skill, error } = useQuery(skillQuery(useGateway(), name));
  return (
    <Page title={skill?.name ?? name} about={<Link to="/skills">All skills</Link>}>
      {error === null ? null : (
        <Panel title="Not shown">
          <Empty title={error.message}>
            <p>
              <code>agent skills enable {name}</code> switches a skill on again.
            </p>
          </Empty>
        </Panel>
      )}
      {skill === undefined ? null : (
        <>
          <Panel title="About">
            <Facts
              facts={[
                ["What it is for", skill.description],
                ["Category", skill.category],
                ["Folder", <code key="folder">{skill.folder}</code>],
                ["Other files", skill.files.length === 0 ? undefined : skill.files.join("\n")],
              ]}
            />
          </Panel>
          <Panel title="What it says">
            <Markdown text={skill.body} />
          </Panel>
        </>
      )}
    </Page>
  );
}
