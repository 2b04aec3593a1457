import { useQuery } from "@tanstack/react-query";
import { useGateway } from "../../client/gateway.ts";
import { sessionsQuery } from "../../client/sessions.ts";
import { Empty, Panel } from "../../design/panel.tsx";
import { FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { SearchResults } from "./search-results.tsx";
import { SessionTable } from "./session-table.tsx";

/** All sessions of the home, or those in which some words were said. */
export function Sessions() {
  const [{ q = "" }] = useFilters();
  return (
    <Page title="Sessions" about="Everything the agent was asked, on every surface.">
      <FilterBar label="Search titles and conversations" />
      {q.trim() === "" ? <AllSessions /> : <SearchResults words={q} />}
    </Page>
  );
}

function AllSessions() {
  const { data } = useQuery(sessionsQuery(useGateway()));
  return (
    <Panel title="All sessions" flush>
      {data === undefined ? null : data.length === 0 ? (
        <Empty title="No session yet">
          <p>
            Start one in a terminal with <code>agent</code>, in an editor, in a chat or over the API; it shows
            here at once.
          </p>
        </Empty>
      ) : (
        <SessionTable sessions={data} />
      )}
    </Panel>
  );
}
