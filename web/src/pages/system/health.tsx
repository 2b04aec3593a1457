import type { HealthRow } from "../../../../src/dashboard/api/system-routes.ts";
import { useHealth } from "../../client/system.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";

/** Whether everything that the agent needs is well. */
export function Health() {
  const { cheap, all } = useHealth();
  const rows = all.data?.data ?? cheap.data?.data;
  return (
    <Panel
      title="Health"
      flush
      actions={
        <Button
          disabled={all.isPending}
          title="As `agent doctor` does: the model is asked for a word"
          onClick={() => all.mutate()}
        >
          {all.isPending ? "Checking …" : "Check everything"}
        </Button>
      }
    >
      <Fault error={all.error ?? cheap.error} />
      <Table caption="Health">
        <TableHead columns={["Check", "State", "What was found"]} />
        <tbody>
          {(rows ?? []).map((row) => (
            <Row key={`${row.name} ${row.text}`} {...row} />
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}

function Row({ name, ok, text }: HealthRow) {
  return (
    <tr>
      <td>{name}</td>
      <td>{ok ? <Badge tone="good">Well</Badge> : <Badge tone="bad">Not well</Badge>}</td>
      <td>{text}</td>
    </tr>
  );
}
