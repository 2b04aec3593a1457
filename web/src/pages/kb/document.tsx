import { counted } from "../../../../src/shared/text/counted.ts";
import { formatBytes } from "../../../../src/shared/text/format.ts";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { documentPath, documentQuery, type KbDocument, passageQuery, useKbChange } from "../../client/kb.ts";
import { Button } from "../../design/button.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Ago } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { DocumentState, RemoveDocument } from "./documents.tsx";
import styles from "./kb.module.css";

/** One document: what was read of it, and what was not. */
export function KbDocumentPage() {
  const { id } = useParams({ from: "/kb/documents/$id" });
  const { data: document, error } = useQuery(documentQuery(id));
  const [from, setFrom] = useState(1);
  return (
    <Page
      title={document?.title ?? "Document"}
      about={<Link to="/kb">Knowledge base</Link>}
      actions={document === undefined ? undefined : <Actions document={document} />}
    >
      <Fault error={error} />
      {document === undefined ? null : (
        <>
          <About document={document} />
          {document.headings.length === 0 ? null : (
            <Panel title="Headings">
              <ul className={styles["outline"]} tabIndex={0} aria-label="Headings">
                {document.headings.map(({ heading, piece }) => (
                  <li key={piece}>
                    <span className={styles["number"]}>{piece}</span>
                    <Button look="quiet" onClick={() => setFrom(piece)}>
                      {heading === "" ? "Before the first heading" : heading}
                    </Button>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          {document.pieces === 0 ? null : <Text id={id} from={from} onGo={setFrom} />}
        </>
      )}
    </Page>
  );
}

function About({ document }: { readonly document: KbDocument }) {
  const { name, origin, collection, pieces, characters, bytes, note, problem } = document;
  const { added_at, read_at, tried_at } = document;
  return (
    <Panel title="About">
      <Facts
        facts={[
          ["State", <DocumentState key="state" document={document} />],
          ["Why", problem],
          ["Name", name],
          ["From", origin.startsWith("upload:") ? "An upload" : origin],
          [
            "Collection",
            <Link key="collection" to="/kb" search={{ collection }}>
              {collection}
            </Link>,
          ],
          [
            "Was read",
            `${counted(pieces, "piece")}, ${counted(characters, "character")}${note === undefined ? "" : `; ${note}`}`,
          ],
          ["Size", formatBytes(bytes)],
          ["Added", <Ago key="added" at={added_at} />],
          ["Read", read_at === undefined ? "Never" : <Ago key="read" at={read_at} />],
          ["Last tried", tried_at === undefined ? undefined : <Ago key="tried" at={tried_at} />],
        ]}
      />
    </Panel>
  );
}

function Actions({ document }: { readonly document: KbDocument }) {
  const navigate = useNavigate();
  const again = useKbChange();
  const remove = useKbChange(() => void navigate({ to: "/kb" }));
  const path = documentPath(document.id);
  return (
    <div className={row["row"]}>
      <Fault error={again.error ?? remove.error} />
      {document.can_read_again ? (
        <Button
          disabled={again.isPending}
          onClick={() => again.mutate({ method: "POST", path: `${path}/again` })}
        >
          {again.isPending ? "Being read" : "Read again"}
        </Button>
      ) : null}
      <RemoveDocument document={document} onRemove={() => remove.mutate({ method: "DELETE", path })} />
    </div>
  );
}

interface TextProps {
  readonly id: string;
  readonly from: number;
  readonly onGo: (piece: number) => void;
}

function Text({ id, from, onGo }: TextProps) {
  const { data, error } = useQuery(passageQuery(id, from));
  const { pieces = [], next } = data ?? {};
  return (
    <Panel title={from === 1 ? "Text" : `Text from piece ${from}`}>
      <Fault error={error} />
      {pieces.map(({ piece, heading, text }, at) => (
        <section key={piece} aria-label={`Piece ${piece}`}>
          {heading === "" || heading === pieces[at - 1]?.heading ? null : <h3>{heading}</h3>}
          <p className={styles["text"]}>{text}</p>
        </section>
      ))}
      <div className={row["row"]}>
        {from === 1 ? null : <Button onClick={() => onGo(1)}>From the beginning</Button>}
        {next === undefined ? null : <Button onClick={() => onGo(next)}>Read on</Button>}
      </div>
    </Panel>
  );
}
