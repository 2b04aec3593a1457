import { Link } from "@tanstack/react-router";
import type { SessionEntry } from "../../client/sessions.ts";
import { Badge, type Tone } from "../../design/badge.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { senderWords, surfaceOf } from "../../session/senders.ts";

/** Sessions as rows. */
export function SessionTable({ sessions }: { readonly sessions: readonly SessionEntry[] }) {
  return (
    <Table caption="Sessions">
      <TableHead
        columns={[
          "Session",
          "State",
          "Surface",
          "User",
          "Model",
          { name: "Messages", look: "right" },
          "Last active",
        ]}
      />
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <td>
              <Link to="/sessions/$id" params={{ id: session.id }}>
                {nameOf(session)}
              </Link>
            </td>
            <td>
              <SessionState session={session} />
            </td>
            <td>{surfaceOf(session)}</td>
            <td>{session.people.map(senderWords).join(", ")}</td>
            <td>{session.model}</td>
            <td data-align="right">{session.message_count}</td>
            <td>
              <Ago at={session.last_active} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** What a session is called. */
export const nameOf = ({ title, preview, id }: SessionEntry): string =>
  [title, preview, id].find((text) => text !== "") ?? id;

/** What a session does now. */
function SessionState({ session }: { readonly session: SessionEntry }) {
  const { status, damaged, interrupted, waiting } = session;
  if (damaged) return <Badge tone="bad">Damaged</Badge>;
  if (waiting?.cause === "budget") return <Badge tone="bad">Budget used up</Badge>;
  const [tone, words] = STATES[status] ?? (["plain", status] as const);
  if (status === "idle" && interrupted !== undefined) return <Badge tone="warn">Interrupted</Badge>;
  return <Badge tone={tone}>{words}</Badge>;
}

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  working: ["busy", "Working"],
  waiting: ["warn", "Waiting"],
  idle: ["plain", "Idle"],
};
