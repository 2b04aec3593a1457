import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { changedFields } from "../../client/changed-fields.ts";
import {
  type Address,
  addressesQuery,
  addressPath,
  addressQuery,
  useHookChange,
} from "../../client/hooks.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Page } from "../../layout/page.tsx";
import styles from "./hooks.module.css";
import { SecretPanel } from "./secret-panel.tsx";

/** Adds an address, and shows its secret once. */
export function NewAddress() {
  const add = useHookChange<{ readonly address: Address; readonly secret: string }>();
  return (
    <Page title="New address" about={<Link to="/hooks">All webhooks</Link>}>
      {add.data === undefined ? (
        <AddressForm
          error={add.error}
          isPending={add.isPending}
          action="Add the address"
          onSend={(body) => add.mutate({ method: "POST", path: "/webhooks/addresses", body })}
        />
      ) : (
        <>
          <SecretPanel secret={add.data.secret} />
          <Link to="/hooks/addresses/$id" params={{ id: add.data.address.id }} className={buttons["button"]}>
            I have copied it
          </Link>
        </>
      )}
    </Page>
  );
}

/** Changes an address. */
export function EditAddress() {
  const { id } = useParams({ from: "/hooks/addresses/$id/edit" });
  const navigate = useNavigate();
  const { data: address, error } = useQuery({ ...addressQuery(id), refetchInterval: false });
  const change = useHookChange(() => void navigate({ to: "/hooks/addresses/$id", params: { id } }));
  return (
    <Page title="Edit address" about={<Link to="/hooks">All webhooks</Link>}>
      <Fault error={error} />
      {address === undefined ? null : (
        <AddressForm
          address={address}
          error={change.error}
          isPending={change.isPending}
          action="Save"
          onSend={(body) => change.mutate({ method: "PATCH", path: addressPath(id), body })}
        />
      )}
    </Page>
  );
}

interface AddressFormProps {
  readonly address?: Address;
  readonly action: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSend: (body: unknown) => void;
}

function AddressForm({ address: known, action, isPending, error, onSend }: AddressFormProps) {
  // As the form shows it, whatever others change meanwhile.
  const [address] = useState(known);
  const { data } = useQuery({ ...addressesQuery, refetchInterval: false });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = {
      url: form.get("url"),
      description: form.get("description"),
      events: form
        .getAll("events")
        .filter((each) => typeof each === "string")
        .toSorted(),
      include_text: form.has("include_text"),
    };
    const before = address && { ...address, events: address.events.toSorted() };
    onSend(before === undefined ? given : changedFields(before, given));
  };
  return (
    <Panel title="Who is told, and of what">
      <form className={row["form"]} onSubmit={send}>
        <Field
          label="Address"
          name="url"
          type="url"
          required
          defaultValue={address?.url}
          placeholder="https://hooks.example.org/agent"
          hint="Private hosts must stand in webhooks.private_hosts of config.yaml"
        />
        <Field label="Description" name="description" defaultValue={address?.description} maxLength={200} />
        <fieldset className={styles["choices"]}>
          <legend>Events, all of them if none is chosen</legend>
          {(data?.events ?? []).map(({ type, about }) => (
            <label key={type} className={styles["choice"]} title={about}>
              <input
                type="checkbox"
                name="events"
                value={type}
                defaultChecked={address?.events.some((each) => each === type)}
              />
              {type}
            </label>
          ))}
        </fieldset>
        <label className={styles["choice"]}>
          <input type="checkbox" name="include_text" defaultChecked={address?.include_text} />
          Send also what was said: answers, questions, errors
        </label>
        <Fault error={error} />
        <div className={row["row"]}>
          <Button look="primary" type="submit" disabled={isPending || data === undefined}>
            {action}
          </Button>
          <Link to="/hooks" className={buttons["button"]}>
            Cancel
          </Link>
        </div>
      </form>
    </Panel>
  );
}
