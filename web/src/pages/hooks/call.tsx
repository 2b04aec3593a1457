import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { callQuery, type IncomingCallDetail } from "../../client/hooks.ts";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Markdown } from "../../design/markdown.tsx";
import { Panel } from "../../design/panel.tsx";
import { Ago } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { Body } from "./body.tsx";
import { CallOutcome } from "./hook-state.tsx";

/** One call: what was said, and what became of it. */
export function CallPage() {
  const { id } = useParams({ from: "/hooks/calls/$id" });
  const { data: call, error } = useQuery(callQuery(id));
  return (
    <Page
      title={call === undefined ? "Call" : `Call of ${call.route}`}
      about={<Link to="/hooks/incoming">All calls</Link>}
    >
      <Fault error={error} />
      {call === undefined ? null : (
        <>
          <About call={call} />
          {call.body === undefined ? null : (
            <Panel title={call.is_cut ? "The beginning of its body" : "Body"}>
              <Body text={call.body} />
            </Panel>
          )}
          {call.response === undefined || call.response === "" ? null : (
            <Panel title="Answer">
              <Markdown text={call.response} />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

function About({ call }: { readonly call: IncomingCallDetail }) {
  return (
    <Panel title="Outcome">
      <Facts
        facts={[
          ["Outcome", <CallOutcome key="outcome" outcome={call.outcome} />],
          ["Why", call.reason],
          ["Event", call.event],
          ["Delivery id", call.delivery_id],
          ["When", <Ago key="when" at={call.at} />],
          [
            "Session",
            call.session_id === undefined ? undefined : (
              <Link key="session" to="/sessions/$id" params={{ id: call.session_id }}>
                Open its transcript
              </Link>
            ),
          ],
        ]}
      />
    </Panel>
  );
}
