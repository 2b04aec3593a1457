import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef } from "react";
import type { z } from "zod";
import type { ConnectorSetup, SetUpConnector } from "../../../../src/dashboard/api/connector-routes.ts";
import { useConnectorAction } from "../../client/connectors.ts";
import { ask, RequestRefused } from "../../client/dashboard-api.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import styles from "./connectors.module.css";

type Setup = z.output<typeof ConnectorSetup>;
type Result = z.output<typeof SetUpConnector>;

interface Wish {
  readonly secrets: Readonly<Record<string, string>>;
  readonly base_url?: string;
  readonly from?: string;
  readonly save_anyway: boolean;
}

/** Asks for the keys of a platform, has them tried, and saves them; none is ever shown again. */
export function SetUp({ platform }: { readonly platform: string }) {
  const path = `/connectors/${encodeURIComponent(platform)}/setup`;
  const {
    data: setup,
    error,
    refetch,
  } = useQuery({
    queryKey: [path],
    queryFn: () => ask<Setup>("GET", path),
    refetchOnWindowFocus: false,
  });
  return (
    <Panel title="Set up">
      <Fault error={error} />
      {setup === undefined ? null : <SetUpForm setup={setup} onSaved={() => void refetch()} />}
    </Panel>
  );
}

function SetUpForm({ setup, onSaved }: { readonly setup: Setup; readonly onSaved: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const save = useConnectorAction<Result, Wish>(setup.platform, "setup");
  const send = (anyway: boolean): void => {
    const { current } = form;
    if (current === null) return;
    save.mutate(wishOf(new FormData(current), setup, anyway), {
      onSuccess: ({ saved }) => {
        if (!saved) return;
        // What was typed unseen does not stay in the page.
        current.reset();
        onSaved();
      },
    });
  };
  const faultOf = (name: string): string | undefined =>
    save.error instanceof RequestRefused && save.error.field === name ? save.error.message : undefined;
  return (
    <form
      ref={form}
      className={row["form"]}
      autoComplete="off"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send(false);
      }}
    >
      {setup.secrets.map(({ variable, about, known }) => (
        <Field
          key={variable}
          label={variable}
          name={variable}
          type="password"
          autoComplete="new-password"
          required={!known}
          placeholder={known ? "Kept as it is" : ""}
          hint={`It is ${about}.`}
          fault={faultOf(variable)}
        />
      ))}
      {setup.from === undefined ? null : (
        <Field
          label="Sender"
          name="from"
          required
          defaultValue={setup.from.value}
          hint={`It is ${setup.from.about}.`}
          fault={faultOf("from")}
        />
      )}
      <Field
        label="Address"
        name="base_url"
        required={setup.base_url.needed}
        placeholder={setup.base_url.value}
        hint={setup.base_url.needed ? "Where its server is" : "It stays as it is without one"}
        fault={faultOf("base_url")}
      />
      <Fault error={save.error} />
      <div className={row["row"]}>
        <Button look="primary" type="submit" disabled={save.isPending}>
          {save.isPending ? "Trying …" : "Try and save"}
        </Button>
      </div>
      {save.data === undefined ? null : <Outcome result={save.data} onAnyway={() => send(true)} />}
    </form>
  );
}

function Outcome({ result, onAnyway }: { readonly result: Result; readonly onAnyway: () => void }) {
  const { saved, bot, fault, note } = result;
  return (
    <div role="status" className={row["stack"]}>
      {fault === undefined ? null : <p>It did not work: {fault}</p>}
      {note === undefined ? null : <p>{note}</p>}
      {saved ? (
        <>
          <p>
            {bot === undefined
              ? "Saved, and switched on."
              : `It works: the bot is ${bot}. Saved, and switched on.`}
          </p>
          <ol className={styles["steps"]}>
            <li>Write to the bot: it answers with a code.</li>
            <li>
              Let yourself in with <code>agent pair &lt;code&gt;</code>, or list people under{" "}
              <code>extra.allow</code> of its settings.
            </li>
          </ol>
        </>
      ) : (
        <div className={row["row"]}>
          <span>Nothing was saved.</span>
          <Button onClick={onAnyway}>Save anyway</Button>
        </div>
      )}
    </div>
  );
}

function wishOf(form: FormData, { secrets, from: sender }: Setup, anyway: boolean): Wish {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const given = secrets.map(({ variable }) => [variable, text(variable)] as const);
  const [address, from] = [text("base_url"), text("from")];
  return {
    secrets: Object.fromEntries(given.filter(([, value]) => value !== "")),
    ...(address === "" ? {} : { base_url: address }),
    ...(from === "" || from === sender?.value ? {} : { from }),
    save_anyway: anyway,
  };
}
