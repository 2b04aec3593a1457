import { Link } from "@tanstack/react-router";
import type { SentEvent } from "../../client/hooks.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago, secondsOf } from "../../design/time.tsx";
import { useFilters } from "../../layout/filters.ts";
import { SentState } from "./hook-state.tsx";
import styles from "./hooks.module.css";

/** The events that were sent, the newest first. @param address - only those to one address */
export function SentEvents({ address }: { readonly address?: string }) {
  const [{ q, state }] = useFilters();
  const { entries, more, error } = useListPages<SentEvent>("/webhooks/sent", { q, state, address });
  const isFiltered = q !== undefined || state !== undefined;
  return (
    <Panel
      title="Events"
      flush
      actions={more === undefined ? undefined : <Button onClick={more}>Show older</Button>}
    >
      <Fault error={error} />
      {entries?.length === 0 ? (
        <Empty title={isFiltered ? "No event is like that" : "No event was sent yet"}>
          <p>
            {isFiltered
              ? "Take words out of the filter, or choose another state."
              : "Events show here as soon as something happens that an address is told of. A test event is sent from the address's page."}
          </p>
        </Empty>
      ) : (
        <Table caption="Events">
          <TableHead columns={["Event", "State", "Happened", { name: "Tries", look: "right" }, "Next try"]} />
          <tbody>
            {(entries ?? []).map((sent) => (
              <tr key={sent.id}>
                <td>
                  <Link to="/hooks/sent/$id" params={{ id: sent.id }}>
                    {sent.type}
                  </Link>
                  <p className={styles["why"]} title={sent.error}>
                    {sent.error ?? sent.event_id}
                  </p>
                </td>
                <td>
                  <SentState status={sent.status} />
                </td>
                <td>
                  <Ago at={secondsOf(sent.created_at)} />
                </td>
                <td data-align="right">{sent.attempts}</td>
                <td>{sent.next_at === undefined ? "–" : <Ago at={secondsOf(sent.next_at)} />}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  );
}
