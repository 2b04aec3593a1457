import { useQuery } from "@tanstack/react-query";
import { useGateway } from "../../client/gateway.ts";
import { sessionsQuery } from "../../client/sessions.ts";
import { Empty, Panel } from "../../design/panel.tsx";
import { Page } from "../../layout/page.tsx";
import { SessionTable } from "../sessions/session-table.tsx";
import { Attention } from "./attention.tsx";
import { UsageFigures } from "./usage-figures.tsx";

/** What needs somebody now, what runs, and what was used. */
export function Home() {
  const { data } = useQuery(sessionsQuery(useGateway(), { doing: "working" }));
  return (
    <Page title="Home">
      <Attention />
      <Panel title="Runs now" flush>
        {data === undefined ? null : data.length === 0 ? (
          <Empty title="No session works right now" />
        ) : (
          <SessionTable sessions={data} />
        )}
      </Panel>
      <UsageFigures />
    </Page>
  );
}
