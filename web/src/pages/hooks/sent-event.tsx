import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type SentEventDetail, sentPath, sentQuery, useHookChange } from "../../client/hooks.ts";
import { Button } from "../../design/button.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago, secondsOf } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { Body } from "./body.tsx";
import { SentState } from "./hook-state.tsx";
import styles from "./hooks.module.css";

/** One event: what was sent, and each try. */
export function SentEventPage() {
  const { id } = useParams({ from: "/hooks/sent/$id" });
  const { data: sent, error } = useQuery(sentQuery(id));
  const redeliver = useHookChange();
  return (
    <Page
      title={sent?.type ?? "Event"}
      about={<Link to="/hooks">All webhooks</Link>}
      actions={
        <Button
          look="primary"
          disabled={sent === undefined || redeliver.isPending}
          onClick={() => redeliver.mutate({ method: "POST", path: `${sentPath(id)}/redeliver` })}
        >
          Send again
        </Button>
      }
    >
      <Fault error={error ?? redeliver.error} />
      {sent === undefined ? null : (
        <>
          <About sent={sent} />
          <Tries sent={sent} />
          <Panel title="What was sent">
            <Body text={sent.body} />
          </Panel>
        </>
      )}
    </Page>
  );
}

function About({ sent }: { readonly sent: SentEventDetail }) {
  return (
    <Panel title="Event">
      <Facts
        facts={[
          ["State", <SentState key="state" status={sent.status} />],
          ["Why", sent.error],
          ["Next try", sent.next_at === undefined ? undefined : <Ago at={secondsOf(sent.next_at)} />],
          ["webhook-id", sent.event_id],
          [
            "Address",
            <Link key="address" to="/hooks/addresses/$id" params={{ id: sent.address_id }}>
              {sent.address_id}
            </Link>,
          ],
        ]}
      />
    </Panel>
  );
}

function Tries({ sent: { tries } }: { readonly sent: SentEventDetail }) {
  return (
    <Panel title="Tries" flush>
      {tries.length === 0 ? (
        <Empty title="It was not tried yet">
          <p>
            Events are sent while <code>agent gateway</code> or this dashboard runs.
          </p>
        </Empty>
      ) : (
        <Table caption="Tries">
          <TableHead
            columns={["When", { name: "Status", look: "right" }, { name: "Took", look: "right" }, "Answer"]}
          />
          <tbody>
            {tries.map(({ at, ms, status, answer, error }) => (
              <tr key={at}>
                <td>
                  <Ago at={secondsOf(at)} />
                </td>
                <td data-align="right">{status ?? "–"}</td>
                <td data-align="right">{ms === undefined ? "–" : `${ms} ms`}</td>
                <td>
                  <p className={styles["why"]} title={answer ?? error}>
                    {answer ?? error ?? (ms === undefined ? "Its end is not known" : "")}
                  </p>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  );
}
