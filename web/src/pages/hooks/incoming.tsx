import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type IncomingCall, type IncomingRoute, routesQuery, useHookChange } from "../../client/hooks.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { FilterBar, ChoiceFilter } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { CALL_FATES, CallOutcome } from "./hook-state.tsx";
import styles from "./hooks.module.css";

/** What other software tells the agent. */
export function Incoming() {
  const { data, error } = useQuery(routesQuery);
  return (
    <Page
      title="Incoming calls"
      about={<Link to="/hooks">All webhooks</Link>}
      actions={
        <Link to="/hooks" className={buttons["button"]}>
          Outgoing events
        </Link>
      }
    >
      <Fault error={error} />
      <Panel title="Routes" flush>
        {data?.off === undefined ? null : (
          <Empty title="No call is taken">
            <p>{data.off}</p>
          </Empty>
        )}
        <RouteTable routes={data?.data ?? []} />
      </Panel>
      <FilterBar label="Filter calls">
        <ChoiceFilter label="At the door" values={CALL_FATES} />
      </FilterBar>
      <Calls />
    </Page>
  );
}

function RouteTable({ routes }: { readonly routes: readonly IncomingRoute[] }) {
  return (
    <Table caption="Routes">
      <TableHead
        columns={[
          "Route",
          "Address on this machine",
          "Events",
          "Delivers to",
          { name: "Test", look: "hidden" },
        ]}
      />
      <tbody>
        {routes.map((route) => (
          <RouteRow key={`${route.source} ${route.name}`} route={route} />
        ))}
      </tbody>
    </Table>
  );
}

function RouteRow({ route }: { readonly route: IncomingRoute }) {
  const { name, source, url, events, deliver, off, description } = route;
  const test = useHookChange<{ readonly status: number; readonly text: string }>();
  const answer = test.data === undefined ? test.error?.message : `${test.data.status} ${test.data.text}`;
  return (
    <tr>
      <td>
        {name}
        <p className={styles["why"]} title={off ?? description}>
          {off === undefined ? `${source}. ${description ?? ""}` : `Off: ${off}`}
        </p>
      </td>
      <td>
        <p className={styles["url"]}>{url}</p>
      </td>
      <td>{events.length === 0 ? "All" : events.join(", ")}</td>
      <td>{deliver}</td>
      <td data-align="right">
        <Button
          aria-label={`Test ${name}`}
          disabled={test.isPending}
          onClick={() =>
            test.mutate({ method: "POST", path: `/webhooks/routes/${encodeURIComponent(name)}/test` })
          }
        >
          Test
        </Button>
        {answer === undefined ? null : (
          <p className={styles["why"]} role="status" title={answer}>
            {answer}
          </p>
        )}
      </td>
    </tr>
  );
}

function Calls() {
  const [{ q, state }] = useFilters();
  const { entries, more, error } = useListPages<IncomingCall>("/webhooks/calls", { q, state });
  const isFiltered = q !== undefined || state !== undefined;
  return (
    <Panel
      title="Calls"
      flush
      actions={more === undefined ? undefined : <Button onClick={more}>Show older</Button>}
    >
      <Fault error={error} />
      {entries?.length === 0 ? (
        <Empty title={isFiltered ? "No call is like that" : "Nobody has called yet"}>
          <p>
            {isFiltered
              ? "Take words out of the filter, or choose another state."
              : "Give a route's address and secret to other software. Make a route with agent webhook subscribe, or try one with Test."}
          </p>
        </Empty>
      ) : (
        <Table caption="Calls">
          <TableHead columns={["Route", "Outcome", "Event", "When", "Why"]} />
          <tbody>
            {(entries ?? []).map((call) => (
              <tr key={call.id}>
                <td>
                  <Link to="/hooks/calls/$id" params={{ id: call.id }}>
                    {call.route}
                  </Link>
                </td>
                <td>
                  <CallOutcome outcome={call.outcome} />
                </td>
                <td>{call.event ?? "–"}</td>
                <td>
                  <Ago at={call.at} />
                </td>
                <td>
                  <p className={styles["why"]} title={call.reason}>
                    {call.reason ?? "–"}
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
