import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { FormEvent } from "react";
import type { ConnectorRow } from "../../../../src/dashboard/api/connector-routes.ts";
import {
  connectorsQuery,
  trafficQuery,
  useConnectorAction,
  useConnectorEvents,
} from "../../client/connectors.ts";
import { Button } from "../../design/button.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Field } from "../../design/field.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Ago } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { ConnectorState, whyText } from "./connector-state.tsx";
import { Hours } from "./hours.tsx";
import { SetUp } from "./set-up.tsx";
import { SwitchButton } from "./switch-button.tsx";

/** One connector: its state, its setup, and a test. */
export function ConnectorPage() {
  useConnectorEvents();
  const { platform } = useParams({ from: "/connectors/$platform" });
  const { data, error } = useQuery(connectorsQuery);
  const found = data?.find((each) => each.platform === platform);
  return (
    <Page
      title={found?.title ?? "Connector"}
      about={<Link to="/connectors">All connectors</Link>}
      actions={found?.ready === true || found?.enabled === true ? <SwitchButton row={found} /> : undefined}
    >
      <Fault error={error} />
      {data !== undefined && found === undefined ? (
        <Panel title="Not found">
          <Empty title="There is no connector of that name">
            <p>
              <Link to="/connectors">All connectors</Link>
            </p>
          </Empty>
        </Panel>
      ) : null}
      {found === undefined ? null : (
        <>
          <State connector={found} />
          {found.kind === "chat" ? <SetUp key={platform} platform={platform} /> : null}
          {found.kind === "chat" && found.enabled ? <Test platform={platform} /> : null}
        </>
      )}
    </Page>
  );
}

function State({ connector }: { readonly connector: ConnectorRow }) {
  const { data: traffic } = useQuery(trafficQuery);
  const {
    platform,
    state,
    kind,
    since,
    enabled,
    bot,
    fixed,
    last_error: error,
    last_error_at: at,
  } = connector;
  const why = whyText(connector);
  return (
    <Panel title="State">
      <Facts
        facts={[
          ["State", <ConnectorState key="state" state={state} />],
          ["Why", why === "" ? undefined : why],
          ["Since", since === undefined || !enabled ? undefined : <Ago key="since" at={since} />],
          ["Account", bot],
          [
            "Last error",
            error === undefined || error === why ? undefined : (
              <>
                {error} {at === undefined ? null : <Ago at={at} />}
              </>
            ),
          ],
          [
            "Last 24 hours",
            kind === "chat" && enabled ? <Hours key="hours" traffic={traffic?.get(platform)} /> : undefined,
          ],
          ["Switching", fixed],
        ]}
      />
    </Panel>
  );
}

function Test({ platform }: { readonly platform: string }) {
  const test = useConnectorAction<unknown, { readonly chat?: string }>(platform, "test");
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const chat = new FormData(event.currentTarget).get("chat");
    test.mutate(typeof chat === "string" && chat !== "" ? { chat } : {});
  };
  return (
    <Panel title="Test message">
      <form className={row["form"]} onSubmit={send}>
        <Field
          label="Chat"
          name="chat"
          hint="The id of a chat or channel there; the home channel of the configuration without it"
        />
        <div className={row["row"]}>
          <Button type="submit" disabled={test.isPending}>
            {test.isPending ? "Sending …" : "Send a test message"}
          </Button>
          {test.isSuccess ? <span role="status">It was sent.</span> : null}
        </div>
        <Fault error={test.error} />
      </form>
    </Panel>
  );
}
