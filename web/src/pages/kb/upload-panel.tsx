import { formatBytes } from "../../../../src/shared/text/format.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type DragEvent, useId, useRef, useState, useSyncExternalStore } from "react";
import { type Upload, uploads, type UploadState } from "../../client/upload-queue.ts";
import { Badge, type Tone } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { classes } from "../../design/classes.ts";
import { Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import styles from "./kb.module.css";

interface UploadPanelProps {
  readonly collections: readonly string[];
  readonly mostBytes: number | undefined;
}

/** Files are dropped or chosen here, and how far each is. */
export function UploadPanel({ collections, mostBytes }: UploadPanelProps) {
  const queries = useQueryClient();
  const all = useSyncExternalStore(uploads.subscribe, uploads.list);
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [collection, setCollection] = useState("documents");
  const list = useId();
  const add = (files: Iterable<File>): void => {
    const look = (): void =>
      void queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith("/kb") });
    uploads.add([...files], {
      collection: collection.trim() || "documents",
      mostBytes: mostBytes ?? Number.POSITIVE_INFINITY,
      onRead: look,
    });
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    add(event.dataTransfer.files);
  };
  const isOne = all.some(({ state }) => isOverWith(state));
  return (
    <Panel
      title="Add documents"
      actions={
        isOne ? (
          <Button look="quiet" onClick={() => uploads.clear()}>
            Clear finished
          </Button>
        ) : undefined
      }
    >
      <div className={row["stack"]}>
        <div
          className={classes(styles["drop"], isOver && styles["over"])}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <p>
            Drop Markdown, text, HTML, PDF or DOCX files here
            {mostBytes === undefined ? "" : `, each at most ${formatBytes(mostBytes)}`}.
          </p>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label="Files"
            onChange={({ target }) => {
              add(target.files ?? []);
              target.value = "";
            }}
          />
          <Button onClick={() => input.current?.click()}>Choose files</Button>
          <Field
            label="Collection"
            list={list}
            value={collection}
            maxLength={80}
            onChange={({ target }) => setCollection(target.value)}
          />
          <datalist id={list}>
            {collections.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
        {all.length === 0 ? null : (
          <ul className={styles["uploads"]} aria-label="Files on their way">
            {all.map((upload) => (
              <UploadRow key={upload.key} upload={upload} />
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}

const STATES: Readonly<Record<UploadState, readonly [words: string, tone: Tone]>> = {
  waiting: ["Waiting", "plain"],
  sending: ["Sending", "busy"],
  reading: ["Being read", "busy"],
  read: ["Read", "good"],
  unchanged: ["Unchanged", "good"],
  failed: ["Failed", "bad"],
  cancelled: ["Cancelled", "plain"],
};

const isOverWith = (state: UploadState): boolean => !["waiting", "sending", "reading"].includes(state);

function UploadRow({ upload }: { readonly upload: Upload }) {
  const { key, name, collection, bytes, sent, state, problem, document } = upload;
  const [words, tone] = STATES[state];
  return (
    <li>
      <div className={styles["where"]}>
        {document === undefined ? (
          name
        ) : (
          <Link to="/kb/documents/$id" params={{ id: document }}>
            {name}
          </Link>
        )}
        <p className={styles["why"]}>{problem ?? `${formatBytes(bytes)} for ${collection}`}</p>
      </div>
      <Badge tone={tone}>{words}</Badge>
      {isOverWith(state) ? (
        <span />
      ) : (
        <Button look="quiet" aria-label={`Cancel ${name}`} onClick={() => uploads.cancel(key)}>
          Cancel
        </Button>
      )}
      {state === "sending" ? (
        <progress aria-label={`Sending ${name}`} max={Math.max(1, bytes)} value={sent} />
      ) : null}
    </li>
  );
}
