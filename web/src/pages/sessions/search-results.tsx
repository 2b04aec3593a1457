import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useGateway } from "../../client/gateway.ts";
import { type SessionFilter, type SessionHit, sessionSearchQuery } from "../../client/sessions.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Ago } from "../../design/time.tsx";
import styles from "./search-results.module.css";
import { surfaceOf } from "../../session/senders.ts";
import { nameOf } from "./session-table.tsx";

interface SearchResultsProps {
  readonly words: string;
  readonly filter: SessionFilter;
}

/** The sessions in which all words were said, each with its best place. */
export function SearchResults({ words, filter }: SearchResultsProps) {
  const search = useInfiniteQuery(sessionSearchQuery(useGateway(), words, filter));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = search;
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  const complete = data?.pages.at(-1)?.complete ?? true;
  return (
    <>
      <Fault error={error} />
      <Panel title="Found" flush>
        {data === undefined ? null : hits.length > 0 ? (
          <ol className={styles["hits"]}>
            {hits.map((hit) => (
              <Hit key={hit.session.id} hit={hit} />
            ))}
          </ol>
        ) : (
          <Empty title="Nothing was found">
            <p>
              All words have to stand in one message. Take one out, or type only its beginning and a{" "}
              <code>*</code>.
            </p>
          </Empty>
        )}
        {hasNextPage ? (
          <p className={styles["more"]}>
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Search further back
            </Button>
          </p>
        ) : null}
      </Panel>
      {complete ? null : (
        <p role="status">Older sessions are still being read; what is in them will show here.</p>
      )}
    </>
  );
}

const KINDS = { title: "Title", prompt: "Asked", answer: "Answered", tool: "Call" } as const;

function Hit({ hit: { session, match, places } }: { readonly hit: SessionHit }) {
  return (
    <li className={styles["hit"]}>
      <div className={styles["head"]}>
        <Link
          to="/sessions/$id"
          params={{ id: session.id }}
          search={match.kind === "title" ? {} : { at: match.row_id }}
        >
          {nameOf(session)}
        </Link>
        <span className={styles["facts"]}>
          {surfaceOf(session)} · <Ago at={match.timestamp} />
          {places > 1 ? ` · ${places} places` : ""}
        </span>
      </div>
      <p className={styles["place"]}>
        <span className={styles["kind"]}>{KINDS[match.kind]}</span> {marked(match)}
      </p>
    </li>
  );
}

/** The text with the words that were found marked. */
function marked({ text, marks }: SessionHit["match"]): readonly ReactNode[] {
  let at = 0;
  const parts = marks.flatMap(([from, to]) => {
    const before = text.slice(at, from);
    at = to;
    return [before, <mark key={from}>{text.slice(from, to)}</mark>];
  });
  return [...parts, text.slice(at)];
}
