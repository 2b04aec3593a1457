import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { kbQuery, useKbChange } from "../../client/kb.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { classes } from "../../design/classes.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Table, TableHead } from "../../design/table.tsx";
import { Page } from "../../layout/page.tsx";
import { Documents } from "./documents.tsx";
import { Sources } from "./sources.tsx";
import { UploadPanel } from "./upload-panel.tsx";

/** The documents that sessions search. */
export function KnowledgeBase() {
  const { data, error } = useQuery(kbQuery);
  const collections = data?.collections ?? [];
  return (
    <Page
      title="Knowledge base"
      about="Documents that sessions search and cite. A persona that names collections sees those only."
      actions={
        <div className={row["row"]}>
          <Link to="/kb/search" className={buttons["button"]}>
            Search
          </Link>
          <Link to="/kb/sources/new" className={classes(buttons["button"], buttons["primary"])}>
            Folder or address
          </Link>
        </div>
      }
    >
      <Fault error={error} />
      <UploadPanel collections={collections.map(({ name }) => name)} mostBytes={data?.most_bytes} />
      {collections.length === 0 ? null : <Collections collections={collections} />}
      <Sources />
      <Documents collections={collections.map(({ name }) => name)} />
    </Page>
  );
}

interface Collection {
  readonly name: string;
  readonly documents: number;
  readonly pieces: number;
  readonly failed: number;
}

function Collections({ collections }: { readonly collections: readonly Collection[] }) {
  const remove = useKbChange();
  return (
    <Panel title="Collections" flush>
      <Fault error={remove.error} />
      <Table caption="Collections">
        <TableHead
          columns={[
            "Collection",
            { name: "Documents", look: "right" },
            { name: "Pieces", look: "right" },
            { name: "Failed", look: "right" },
            { name: "Actions", look: "hidden" },
          ]}
        />
        <tbody>
          {collections.map(({ name, documents, pieces, failed }) => (
            <tr key={name}>
              <td>
                <Link to="/kb" search={{ collection: name }}>
                  {name}
                </Link>
              </td>
              <td data-align="right">{documents}</td>
              <td data-align="right">{pieces}</td>
              <td data-align="right">{failed}</td>
              <td data-align="right">
                <Confirm
                  trigger={
                    <Button look="quiet" aria-label={`Remove the collection ${name}`}>
                      Remove
                    </Button>
                  }
                  title={`Remove ${name}?`}
                  action="Remove"
                  onConfirm={() =>
                    remove.mutate({
                      method: "DELETE",
                      path: `/kb/collections/${encodeURIComponent(name)}`,
                    })
                  }
                >
                  Its {documents} documents leave the knowledge base at once, and its folders and addresses
                  are not read any more.
                </Confirm>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}
