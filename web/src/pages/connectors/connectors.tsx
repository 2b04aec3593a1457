import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ConnectorRow, TrafficRow } from "../../../../src/dashboard/api/connector-routes.ts";
import { connectorsQuery, trafficQuery, useConnectorEvents } from "../../client/connectors.ts";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { FilterBar, ChoiceFilter } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { ConnectorState, whyText } from "./connector-state.tsx";
import styles from "./connectors.module.css";
import { Hours } from "./hours.tsx";
import { People } from "./people.tsx";
import { SwitchButton } from "./switch-button.tsx";

/** What a list is filtered by, for people. */
const STATES = { on: "On", failing: "Failing", off: "Off" } as const;

const IS: Readonly<Record<string, (row: ConnectorRow) => boolean>> = {
  on: ({ enabled }) => enabled,
  failing: ({ state }) => state === "retrying" || state === "off",
  off: ({ enabled }) => !enabled,
};

/** Where people and programs reach the agent. */
export function Connectors() {
  useConnectorEvents();
  const [{ q = "", state = "" }] = useFilters();
  const { data, error } = useQuery(connectorsQuery);
  const { data: traffic } = useQuery(trafficQuery);
  const words = q.trim().toLowerCase();
  const shown = (data ?? []).filter(
    (row) => `${row.title} ${row.platform}`.toLowerCase().includes(words) && (IS[state]?.(row) ?? true),
  );
  const isFresh = data?.every((row) => row.kind === "server" || !row.enabled) === true;
  return (
    <Page
      title="Connectors"
      about="Where people and programs reach the agent. What is switched here takes effect at once."
    >
      <FilterBar label="Filter connectors">
        <ChoiceFilter label="State" values={STATES} />
      </FilterBar>
      <Fault error={error} />
      <People />
      <Panel title="Connectors" flush>
        {isFresh && words === "" && state === "" ? (
          <Empty title="No chat platform is on yet">
            <p>Choose one below to set it up: its page says where to get each key, and tries it.</p>
          </Empty>
        ) : null}
        {data !== undefined && shown.length === 0 ? (
          <Empty title="No connector is like that">
            <p>Take words out of the filter, or choose another state.</p>
          </Empty>
        ) : (
          <ConnectorTable rows={shown} traffic={traffic} />
        )}
      </Panel>
    </Page>
  );
}

interface ConnectorTableProps {
  readonly rows: readonly ConnectorRow[];
  readonly traffic: ReadonlyMap<string, TrafficRow> | undefined;
}

function ConnectorTable({ rows, traffic }: ConnectorTableProps) {
  return (
    <Table caption="Connectors">
      <TableHead
        columns={["Connector", "State", "Since", "Last 24 hours", { name: "Switch", look: "hidden" }]}
      />
      <tbody>
        {rows.map((row) => (
          <tr key={row.platform}>
            <td>
              <Link to="/connectors/$platform" params={{ platform: row.platform }}>
                {row.title}
              </Link>
              {row.bot === undefined ? null : <p className={styles["why"]}>{row.bot}</p>}
            </td>
            <td>
              <ConnectorState state={row.state} />
              <p className={styles["why"]} title={whyText(row)}>
                {whyText(row)}
              </p>
            </td>
            <td>{row.since === undefined || !row.enabled ? "–" : <Ago at={row.since} />}</td>
            <td>{row.kind === "chat" ? <Hours traffic={traffic?.get(row.platform)} /> : "–"}</td>
            <td data-align="right">
              {row.ready || row.enabled ? (
                <SwitchButton row={row} />
              ) : (
                <Link
                  to="/connectors/$platform"
                  params={{ platform: row.platform }}
                  className={buttons["button"]}
                  aria-label={`Set up ${row.title}`}
                >
                  Set up
                </Link>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
