import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import {
  type Address,
  addressPath,
  addressQuery,
  type SentEventDetail,
  useHookChange,
} from "../../client/hooks.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Confirm } from "../../design/confirm.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Ago, secondsOf } from "../../design/time.tsx";
import { FilterBar, ChoiceFilter } from "../../layout/filter-bar.tsx";
import { Page } from "../../layout/page.tsx";
import { AddressState, SENT_STATES } from "./hook-state.tsx";
import { eventsText } from "./outgoing.tsx";
import { SecretPanel } from "./secret-panel.tsx";
import { SentEvents } from "./sent-events.tsx";

/** One address: what it is told of, whether it takes it, and what was sent. */
export function AddressPage() {
  const { id } = useParams({ from: "/hooks/addresses/$id" });
  const { data: address, error } = useQuery(addressQuery(id));
  const secret = useHookChange<{ readonly secret: string }>();
  return (
    <Page
      title={address?.description || "Address"}
      about={<Link to="/hooks">All webhooks</Link>}
      actions={address === undefined ? undefined : <Actions address={address} />}
    >
      <Fault error={error ?? secret.error} />
      {secret.data === undefined ? null : <SecretPanel secret={secret.data.secret} />}
      {address === undefined ? null : (
        <>
          <About
            address={address}
            onRenew={() => secret.mutate({ method: "POST", path: `${addressPath(id)}/secret` })}
          />
          <FilterBar label="Filter events">
            <ChoiceFilter label="State" values={SENT_STATES} />
          </FilterBar>
          <SentEvents address={id} />
        </>
      )}
    </Page>
  );
}

function Actions({ address: { id, url, enabled } }: { readonly address: Address }) {
  const navigate = useNavigate();
  const change = useHookChange();
  const test = useHookChange<SentEventDetail>(
    (sent) => void navigate({ to: "/hooks/sent/$id", params: { id: sent.id } }),
  );
  const remove = useHookChange(() => void navigate({ to: "/hooks" }));
  const path = addressPath(id);
  return (
    <div className={row["row"]}>
      <Fault error={change.error ?? test.error ?? remove.error} />
      <Button
        look="primary"
        disabled={test.isPending}
        onClick={() => test.mutate({ method: "POST", path: `${path}/test` })}
      >
        Send a test event
      </Button>
      <Button
        disabled={change.isPending}
        onClick={() => change.mutate({ method: "POST", path: `${path}/switch`, body: { enabled: !enabled } })}
      >
        {enabled ? "Switch off" : "Switch on"}
      </Button>
      <Link to="/hooks/addresses/$id/edit" params={{ id }} className={buttons["button"]}>
        Edit
      </Link>
      <Confirm
        trigger={<Button look="danger">Remove</Button>}
        title="Remove this address?"
        action="Remove"
        onConfirm={() => remove.mutate({ method: "DELETE", path })}
      >
        Nothing is sent to {url} any more. What was sent stays to be looked at.
      </Confirm>
    </div>
  );
}

function About({ address, onRenew }: { readonly address: Address; readonly onRenew: () => void }) {
  const { url, off_reason, failing_since, last_error, created_at } = address;
  return (
    <Panel
      title="Address"
      actions={
        <Confirm
          trigger={<Button look="quiet">New secret</Button>}
          title="Make another secret?"
          action="Make a new secret"
          onConfirm={onRenew}
        >
          From now on events are signed with the new one. It is shown once.
        </Confirm>
      }
    >
      <Facts
        facts={[
          ["State", <AddressState key="state" address={address} />],
          ["Why", off_reason],
          ["Failing since", failing_since === undefined ? undefined : <Ago at={secondsOf(failing_since)} />],
          ["Last error", last_error],
          ["Address", url],
          ["Is told of", eventsText(address)],
          ["Added", <Ago key="added" at={secondsOf(created_at)} />],
        ]}
      />
    </Panel>
  );
}
