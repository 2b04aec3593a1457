import type { ClusterState } from "../../../../src/dashboard/api/cluster-routes.ts";
import { useCluster } from "../../client/system.ts";
import { Badge } from "../../design/badge.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import styles from "./system.module.css";

type Host = ClusterState["hosts"][number];

/** The machines that share the store, and in what they differ. */
export function Machines() {
  const { data, error } = useCluster();
  return (
    <Panel title="Machines" flush actions={data?.database ? <Database {...data.database} /> : undefined}>
      <Fault error={error} />
      {data === undefined ? null : data.database === null ? (
        <Empty title="This is the only machine">
          <p>
            Its store is in its own home. With <code>store.url</code> in <code>config.yaml</code> any number
            of machines share a PostgreSQL database, and <code>agent store copy</code> moves this home there.
          </p>
        </Empty>
      ) : (
        <Shared {...data} />
      )}
    </Panel>
  );
}

function Database({ version, latency_ms: latency, faults }: NonNullable<ClusterState["database"]>) {
  return (
    <Badge tone={faults.length === 0 ? "good" : "bad"}>
      PostgreSQL {version}, {milliseconds(latency)}
    </Badge>
  );
}

function Shared({ database, hosts, differences }: ClusterState) {
  const nameOf = (id: string): string => {
    const host = hosts.find((each) => each.id === id);
    return host === undefined ? id : `${host.machine ?? "A process"} (${host.pid})`;
  };
  return (
    <>
      {(database?.faults ?? []).map((fault) => (
        <p key={fault} className={styles["note"]} role="alert">
          {fault}
        </p>
      ))}
      {differences.map(({ topic, groups }) => (
        <p key={topic} className={styles["note"]} role="alert">
          Differs: {topic}: {groups.map((group) => group.map(nameOf).join(", ")).join(" | ")}. Make it the
          same on each machine.
        </p>
      ))}
      <Table caption="Hosts of the store">
        <TableHead
          columns={[
            "Machine",
            "Version",
            "Since",
            { name: "Turns", look: "right" },
            { name: "Sessions held", look: "right" },
            { name: "Last heard of", look: "right" },
            { name: "Database", look: "right" },
            "State",
          ]}
        />
        <tbody>
          {hosts.map((host) => (
            <HostRow key={host.id} {...host} />
          ))}
        </tbody>
      </Table>
    </>
  );
}

function HostRow({ machine, pid, version, since, alive, current, advertise, ...load }: Host) {
  const { running, leases, lag_ms: lag, database_ms: database } = load;
  return (
    <tr>
      <td>
        {machine ?? "A process"} <span className={styles["soft"]}>{pid}</span>
        {advertise === null ? null : <p className={styles["path"]}>{advertise}</p>}
      </td>
      <td>{version ?? ""}</td>
      <td>{since === null ? "" : <Ago at={since} />}</td>
      <td data-align="right">{running ?? ""}</td>
      <td data-align="right">{leases}</td>
      <td data-align="right">{lag === null ? "" : `${Math.round(lag / 1000)} s ago`}</td>
      <td data-align="right">{database === null ? "" : milliseconds(database)}</td>
      <td>
        {alive ? <Badge tone="good">{current ? "This one" : "Runs"}</Badge> : <Badge tone="bad">Gone</Badge>}
      </td>
    </tr>
  );
}

const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
