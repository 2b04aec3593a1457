import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useGateway } from "../../client/gateway.ts";
import { type SessionFilter, sessionPagesQuery } from "../../client/sessions.ts";
import { usageQuery } from "../../client/usage.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { ChoiceFilter, FilterBar } from "../../layout/filter-bar.tsx";
import { type Filters, useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { senderWords, SURFACES } from "../../session/senders.ts";
import { SearchResults } from "./search-results.tsx";
import { SessionTable } from "./session-table.tsx";
import styles from "./search-results.module.css";

const STATES = { working: "Working", asking: "Waiting for an answer", parked: "Budget used up" } as const;
/** Who wrote in these days can be chosen. */
const DAYS = 90;

/** All sessions of the home, or those in which some words were said. */
export function Sessions() {
  const [filters] = useFilters();
  const { q = "", person = "" } = filters;
  const { data: usage } = useQuery(usageQuery(DAYS));
  const users = new Map((usage?.by_person ?? []).map((each) => [each.person, each.user]));
  const people = new Set([...users.keys(), person]);
  const names = [...people]
    .filter((name) => name !== "")
    .map((name) => [name, users.get(name) ?? senderWords(name)] as const);
  const filter = filterOf(filters);
  return (
    <Page title="Sessions" about="Everything the agent was asked, on every surface.">
      <FilterBar label="Search titles and conversations">
        <ChoiceFilter label="Surface" name="surface" values={SURFACES} />
        <ChoiceFilter label="User" name="person" values={Object.fromEntries(names)} />
        <ChoiceFilter label="State" values={STATES} />
      </FilterBar>
      {q.trim() === "" ? <AllSessions filter={filter} /> : <SearchResults words={q} filter={filter} />}
    </Page>
  );
}

/** The filters as the gateway knows them; what an address has else is left out. */
function filterOf({ surface = "", person, state = "" }: Filters): SessionFilter {
  return {
    ...(isKeyOf(SURFACES, surface) ? { platform: surface } : {}),
    ...(person === undefined ? {} : { person }),
    ...(isKeyOf(STATES, state) ? { doing: state } : {}),
  };
}

const isKeyOf = <R extends object>(record: R, text: string): text is string & keyof R =>
  Object.hasOwn(record, text);

function AllSessions({ filter }: { readonly filter: SessionFilter }) {
  const pages = useInfiniteQuery(sessionPagesQuery(useGateway(), filter));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const sessions = data?.pages.flatMap((page) => page.sessions);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Fault error={error} />
      <Panel title={isFiltered ? "Sessions like that" : "All sessions"} flush>
        {sessions === undefined ? null : sessions.length > 0 ? (
          <SessionTable sessions={sessions} />
        ) : isFiltered ? (
          <Empty title="No session is like that">
            <p>Take a filter away, or choose another one.</p>
          </Empty>
        ) : (
          <Empty title="No session yet">
            <p>
              Start one in a terminal with <code>agent</code>, in an editor, in a chat or over the API; it
              shows here at once.
            </p>
          </Empty>
        )}
        {hasNextPage ? (
          <p className={styles["more"]}>
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older sessions
            </Button>
          </p>
        ) : null}
      </Panel>
    </>
  );
}
