import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { type KbPlace, kbQuery, searchQuery } from "../../client/kb.ts";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { ChoiceFilter, FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import styles from "./kb.module.css";

const named = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name]));

/** A search as a session makes it: the same places, in the same order. */
export function KbSearch() {
  const [{ q = "", collection, persona }] = useFilters();
  const { data: overview } = useQuery(kbQuery);
  const wish = {
    q,
    ...(collection === undefined ? {} : { collection }),
    ...(persona === undefined ? {} : { persona }),
  };
  const { data, error } = useQuery(searchQuery(wish));
  const within = data?.collections;
  return (
    <Page title="Search documents" about={<Link to="/kb">Knowledge base</Link>}>
      <FilterBar label="Words of a question">
        <ChoiceFilter
          label="Collection"
          name="collection"
          values={named((overview?.collections ?? []).map(({ name }) => name))}
        />
        <ChoiceFilter label="Persona" name="persona" values={named(overview?.personas ?? [])} />
      </FilterBar>
      <Fault error={error} />
      <Panel title="What a session gets" flush>
        {q === "" ? (
          <Empty title="Ask something">
            <p>The places show here that a session gets from kb_search for these words, the best first.</p>
          </Empty>
        ) : data === undefined ? null : data.data.length === 0 ? (
          <Empty title="No document says anything about it">
            <p>{within === undefined ? "Try other words." : whereWords(within)}</p>
          </Empty>
        ) : (
          <ol className={styles["places"]}>
            {data.data.map((place) => (
              <Place key={`${place.document} ${place.piece}`} place={place} />
            ))}
          </ol>
        )}
      </Panel>
    </Page>
  );
}

const whereWords = (collections: readonly string[]): string =>
  collections.length === 0 ? "This persona sees no collection." : `Looked in ${collections.join(", ")}.`;

function Place({ place }: { readonly place: KbPlace }) {
  const { document, title, heading, heading_marks, text, text_marks, collection, piece } = place;
  return (
    <li>
      <h3 className={styles["title"]}>
        <Link to="/kb/documents/$id" params={{ id: document }}>
          {title}
        </Link>
      </h3>
      <p className={styles["why"]}>
        {heading === "" ? null : <>{marked(heading, heading_marks)} · </>}
        {collection}, piece {piece}
      </p>
      <p className={styles["text"]}>{marked(text, text_marks)}</p>
    </li>
  );
}

/** A text in which the words that were found stand out. */
function marked(text: string, marks: readonly (readonly [number, number])[]): ReactNode {
  const ends = [0, ...marks.map(([, end]) => end)];
  return (
    <>
      {marks.map(([start, end], at) => (
        <Fragment key={start}>
          {text.slice(ends[at] ?? 0, start)}
          <mark>{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(ends.at(-1) ?? 0)}
    </>
  );
}
