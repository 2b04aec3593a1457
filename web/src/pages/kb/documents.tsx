import { formatBytes } from "../../../../src/shared/text/format.ts";
import { Link } from "@tanstack/react-router";
import { documentPath, type KbDocument, useKbChange } from "../../client/kb.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { ChoiceFilter, FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import styles from "./kb.module.css";

const STATES = { ready: "Read", failed: "Failed", reading: "Being read" } as const;

/** The documents, filtered by the address. */
export function Documents({ collections }: { readonly collections: readonly string[] }) {
  const [{ q, state, collection }] = useFilters();
  const { entries, more, error } = useListPages<KbDocument>("/kb/documents", { q, state, collection });
  const isFiltered = q !== undefined || state !== undefined || collection !== undefined;
  return (
    <>
      <FilterBar label="Filter documents">
        <ChoiceFilter label="State" values={STATES} />
        <ChoiceFilter
          label="Collection"
          name="collection"
          values={Object.fromEntries(collections.map((name) => [name, name]))}
        />
      </FilterBar>
      <Fault error={error} />
      <Panel title="Documents" flush>
        {entries === undefined ? null : entries.length > 0 ? (
          <DocumentTable documents={entries} />
        ) : isFiltered ? (
          <Empty title="No document fits">
            <p>Take words or choices out of the filter.</p>
          </Empty>
        ) : (
          <Empty title="No document yet">
            <p>
              Drop files above, or have a <Link to="/kb/sources/new">folder or address</Link> read again and
              again. On the command line it is <code>agent kb add</code>.
            </p>
          </Empty>
        )}
      </Panel>
      {more === undefined ? null : <Button onClick={more}>Show more</Button>}
    </>
  );
}

/** What became of a document. */
export function DocumentState({ document: { state, problem } }: { readonly document: KbDocument }) {
  if (state === "reading") return <Badge tone="busy">Being read</Badge>;
  if (state === "failed") return <Badge tone="bad">Failed</Badge>;
  return problem === undefined ? <Badge tone="good">Read</Badge> : <Badge tone="warn">Not up to date</Badge>;
}

function DocumentTable({ documents }: { readonly documents: readonly KbDocument[] }) {
  const remove = useKbChange();
  const again = useKbChange();
  return (
    <>
      <Fault error={remove.error ?? again.error} />
      <Table caption="Documents">
        <TableHead
          columns={[
            "Document",
            "Collection",
            "State",
            { name: "Pieces", look: "right" },
            { name: "Size", look: "right" },
            "Read",
            { name: "Actions", look: "hidden" },
          ]}
        />
        <tbody>
          {documents.map((document) => (
            <tr key={document.id}>
              <td>
                <Link to="/kb/documents/$id" params={{ id: document.id }} className={styles["where"]}>
                  {document.name}
                </Link>
                <p className={styles["why"]}>{document.problem ?? document.note}</p>
              </td>
              <td>{document.collection}</td>
              <td>
                <DocumentState document={document} />
              </td>
              <td data-align="right">{document.pieces}</td>
              <td data-align="right">{formatBytes(document.bytes)}</td>
              <td>{document.read_at === undefined ? "Never" : <Ago at={document.read_at} />}</td>
              <td data-align="right">
                {document.can_read_again ? (
                  <Button
                    look="quiet"
                    aria-label={`Read ${document.name} again`}
                    disabled={again.isPending}
                    onClick={() =>
                      again.mutate({ method: "POST", path: `${documentPath(document.id)}/again` })
                    }
                  >
                    Read again
                  </Button>
                ) : null}
                <RemoveDocument
                  document={document}
                  onRemove={() => remove.mutate({ method: "DELETE", path: documentPath(document.id) })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

interface RemoveProps {
  readonly document: KbDocument;
  readonly onRemove: () => void;
}

/** The button that removes a document, asked for once more. */
export function RemoveDocument({ document: { name, source }, onRemove }: RemoveProps) {
  return (
    <Confirm
      trigger={
        <Button look="quiet" aria-label={`Remove ${name}`}>
          Remove
        </Button>
      }
      title={`Remove ${name}?`}
      action="Remove"
      onConfirm={onRemove}
    >
      No search finds it from now on.
      {source === undefined ? "" : " Its folder or address does not bring it back."}
    </Confirm>
  );
}
