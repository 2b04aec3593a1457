import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Address, addressesQuery } from "../../client/hooks.ts";
import buttons from "../../design/button.module.css";
import { classes } from "../../design/classes.ts";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Table, TableHead } from "../../design/table.tsx";
import { FilterBar, ChoiceFilter } from "../../layout/filter-bar.tsx";
import { Page } from "../../layout/page.tsx";
import { AddressState, SENT_STATES } from "./hook-state.tsx";
import styles from "./hooks.module.css";
import { SentEvents } from "./sent-events.tsx";

/** What other software is told. */
export function Outgoing() {
  const { data, error } = useQuery(addressesQuery);
  return (
    <Page
      title="Webhooks"
      about="What other software is told, and what it tells the agent."
      actions={
        <div className={row["row"]}>
          <Link to="/hooks/incoming" className={buttons["button"]}>
            Incoming calls
          </Link>
          <Link to="/hooks/new" className={classes(buttons["button"], buttons["primary"])}>
            New address
          </Link>
        </div>
      }
    >
      <Fault error={error} />
      <Panel title="Addresses" flush>
        {data?.data.length === 0 ? (
          <Empty title="Nobody is told of anything yet">
            <p>
              Add the address of other software with <Link to="/hooks/new">New address</Link> or{" "}
              <code>agent webhook out add</code>: it is told when turns end, questions are asked, jobs fail
              and more.
            </p>
          </Empty>
        ) : (
          <AddressTable addresses={data?.data ?? []} />
        )}
      </Panel>
      <FilterBar label="Filter events">
        <ChoiceFilter label="State" values={SENT_STATES} />
      </FilterBar>
      <SentEvents />
    </Page>
  );
}

function AddressTable({ addresses }: { readonly addresses: readonly Address[] }) {
  return (
    <Table caption="Addresses">
      <TableHead columns={["Address", "State", "Is told of"]} />
      <tbody>
        {addresses.map((address) => (
          <tr key={address.id}>
            <td>
              <Link to="/hooks/addresses/$id" params={{ id: address.id }}>
                <span className={styles["url"]}>{address.url}</span>
              </Link>
              <p className={styles["why"]}>{address.description}</p>
            </td>
            <td>
              <AddressState address={address} />
              <p className={styles["why"]} title={address.off_reason ?? address.last_error}>
                {address.off_reason ?? address.last_error}
              </p>
            </td>
            <td>{eventsText(address)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** The events that an address is told of, in words. */
export const eventsText = ({ events, include_text }: Pick<Address, "events" | "include_text">): string =>
  `${events.length === 0 ? "Everything" : events.join(", ")}${include_text ? ", with its text" : ""}`;
