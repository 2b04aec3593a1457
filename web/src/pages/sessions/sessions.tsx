import { useQuery } from "@tanstack/react-query";
import { useGateway } from "../../client/gateway.ts";
import { sessionsQuery } from "../../client/sessions.ts";
import { Empty, Panel } from "../../design/panel.tsx";
import { Page } from "../../layout/page.tsx";
import { SessionTable } from "./session-table.tsx";

/** All sessions of the home. */
export function Sessions() {
  const { data } = useQuery(sessionsQuery(useGateway()));
  return (
    <Page title="Sessions" about="Everything the agent was asked, on every surface.">
      <Panel title="All sessions" flush>
        {data === undefined ? null : data.length === 0 ? (
          <Empty title="No session yet">
            <p>
              Start one in a terminal with <code>agent</code>, in an editor, in a chat or over the API; it
              shows here at once.
            </p>
          </Empty>
        ) : (
          <SessionTable sessions={data} />
        )}
      </Panel>
    </Page>
  );
}
