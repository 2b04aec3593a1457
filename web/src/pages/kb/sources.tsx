import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type KbSource, sourcePath, sourcesQuery, useKbChange } from "../../client/kb.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago, Moment } from "../../design/time.tsx";
import { Choice } from "../../layout/filter-bar.tsx";
import styles from "./kb.module.css";

/** How often a source is read again; one that has another schedule keeps it as it is. */
export const SCHEDULES: Readonly<Record<string, string>> = {
  "every 15m": "Every 15 minutes",
  "every 1h": "Every hour",
  "every 6h": "Every 6 hours",
  "every 1d": "Every day",
};

/** Folders, files and addresses that are read again; nothing while there is none. */
export function Sources() {
  const { data, error } = useQuery(sourcesQuery);
  const change = useKbChange();
  if (data === undefined || data.data.length === 0) return <Fault error={error} />;
  return (
    <Panel title="Folders and addresses" flush>
      <Fault error={error ?? change.error} />
      <Table caption="Folders and addresses">
        <TableHead
          columns={["From", "For", "State", "Read again", "Next", { name: "Actions", look: "hidden" }]}
        />
        <tbody>
          {data.data.map((source) => (
            <tr key={source.id}>
              <td>
                <span className={styles["where"]}>{source.location}</span>
                <p className={styles["why"]}>{lastWords(source)}</p>
              </td>
              <td>
                <Link to="/kb" search={{ collection: source.collection }}>
                  {source.collection}
                </Link>
              </td>
              <td>
                <SourceState source={source} />
              </td>
              <td>
                <Choice
                  label={`How often ${source.location} is read again`}
                  values={choicesOf(source)}
                  value={source.every ?? ""}
                  none="When asked"
                  onChange={(every) =>
                    change.mutate({
                      method: "PATCH",
                      path: sourcePath(source.id),
                      body: { every: every || null },
                    })
                  }
                />
              </td>
              <td>{source.next_at === undefined ? "" : <Moment at={source.next_at} />}</td>
              <td data-align="right">
                <Button
                  look="quiet"
                  aria-label={`Read ${source.location} now`}
                  disabled={source.reading !== undefined}
                  onClick={() => change.mutate({ method: "POST", path: `${sourcePath(source.id)}/read` })}
                >
                  Read now
                </Button>
                <Confirm
                  trigger={
                    <Button look="quiet" aria-label={`Remove ${source.location}`}>
                      Remove
                    </Button>
                  }
                  title="Remove this source?"
                  action="Remove"
                  onConfirm={() => change.mutate({ method: "DELETE", path: sourcePath(source.id) })}
                >
                  All that was read of {source.location} leaves the knowledge base at once.
                </Confirm>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}

const choicesOf = ({ every }: KbSource): Readonly<Record<string, string>> =>
  every === undefined || every in SCHEDULES ? SCHEDULES : { ...SCHEDULES, [every]: every };

function SourceState({ source: { reading, last } }: { readonly source: KbSource }) {
  if (reading?.started === true) {
    const { done, total } = reading;
    return <Badge tone="busy">{total === undefined ? "Being read" : `Reading ${done} of ${total}`}</Badge>;
  }
  if (reading !== undefined) return <Badge tone="busy">Waiting</Badge>;
  if (last === undefined) return <Badge>Not read yet</Badge>;
  if (last.problem !== undefined) return <Badge tone="bad">Failed</Badge>;
  return last.failed > 0 ? (
    <Badge tone="warn">{`${last.failed} failed`}</Badge>
  ) : (
    <Badge tone="good">Read</Badge>
  );
}

function lastWords({ last }: KbSource) {
  if (last === undefined) return "";
  const counts = `${last.read} read, ${last.unchanged} unchanged, ${last.failed} failed, ${last.removed} removed`;
  const leftOut = last.left_out === undefined ? "" : `; left out: ${last.left_out}`;
  return (
    <>
      {last.problem ?? `${counts}${leftOut}`} · <Ago at={last.at} />
    </>
  );
}
