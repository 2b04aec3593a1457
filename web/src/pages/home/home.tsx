import { useQuery } from "@tanstack/react-query";
import { useGateway } from "../../client/gateway.ts";
import { sessionsQuery } from "../../client/sessions.ts";
import { Empty, Panel } from "../../design/panel.tsx";
import { Page } from "../../layout/page.tsx";
import { SessionTable } from "../sessions/session-table.tsx";

/** What needs somebody now, and what runs. */
export function Home() {
  const { data = [] } = useQuery(sessionsQuery(useGateway()));
  const waiting = data.filter(({ status }) => status === "waiting");
  const working = data.filter(({ status }) => status === "working");
  return (
    <Page title="Home">
      <Panel title="Needs somebody" flush>
        {waiting.length === 0 ? (
          <Empty title="Nothing waits for an answer" />
        ) : (
          <SessionTable sessions={waiting} />
        )}
      </Panel>
      <Panel title="Runs now" flush>
        {working.length === 0 ? (
          <Empty title="No session works right now" />
        ) : (
          <SessionTable sessions={working} />
        )}
      </Panel>
    </Page>
  );
}
