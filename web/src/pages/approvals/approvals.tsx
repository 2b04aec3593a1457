import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ApprovalRule } from "../../../../src/dashboard/api/approval-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { useOpenQuestions } from "../../client/open-questions.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { QuestionCard } from "../../session/question-card.tsx";

/** Every question that waits for somebody, the oldest first. */
export function Approvals() {
  const { data, refetch } = useOpenQuestions();
  return (
    <Page
      title="Approvals"
      about="Everything that waits for an answer. The first one counts, wherever it is given."
    >
      {data?.length === 0 ? (
        <Panel title="Open">
          <Empty title="Nothing waits for an answer">
            <p>When the agent asks before it runs something, or has a question, it shows here.</p>
          </Empty>
        </Panel>
      ) : null}
      {(data ?? []).map(({ session_id, title, source, asked_at, open }) => (
        <QuestionCard key={open.id} question={open} onAnswered={() => void refetch()}>
          <p>
            <Link to="/sessions/$id" params={{ id: session_id }}>
              {title === "" ? session_id : title}
            </Link>
            , {source}, <Ago at={asked_at} />
          </p>
        </QuestionCard>
      ))}
      <AlwaysAllowed />
    </Page>
  );
}

const RULES = "/approvals/rules";

/** What "always" has allowed so far, and what the owner forbids. */
function AlwaysAllowed() {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: [RULES],
    queryFn: async () => (await ask<{ readonly data: readonly ApprovalRule[] }>("GET", RULES)).data,
  });
  const remove = useMutation({
    mutationFn: (rule: string) => ask("POST", `${RULES}/remove`, { rule }),
    onSettled: () => queries.invalidateQueries({ queryKey: [RULES] }),
  });
  return (
    <Panel title="Always allowed, and never" flush>
      <Fault error={error ?? remove.error} />
      {data === undefined ? null : data.length === 0 ? (
        <Empty title="Every command is judged anew">
          <p>
            What somebody allows always shows here and can be taken back. <code>agent approvals allow</code>{" "}
            adds a rule.
          </p>
        </Empty>
      ) : (
        <Table caption="Rules">
          <TableHead columns={["Rule", "Covers", "Is", { name: "Actions", look: "hidden" }]} />
          <tbody>
            {data.map(({ list, rule, covers }) => (
              <tr key={`${list} ${rule}`}>
                <td>
                  <code>{rule}</code>
                </td>
                <td>{covers}</td>
                <td>
                  <Badge tone={list === "allowed" ? "good" : "bad"}>
                    {list === "allowed" ? "Allowed" : "Never"}
                  </Badge>
                </td>
                <td data-align="right">
                  <Button
                    aria-label={`Remove ${rule}`}
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(rule)}
                  >
                    Remove
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  );
}
