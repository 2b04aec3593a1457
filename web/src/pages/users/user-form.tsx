import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { changedFields } from "../../client/changed-fields.ts";
import { RequestRefused } from "../../client/dashboard-api.ts";
import { type User, userPath, userQuery, useUserChange } from "../../client/users.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Field, Select } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Page } from "../../layout/page.tsx";
import { PersonaField } from "../personas/persona-field.tsx";
import { ROLES } from "./user-words.tsx";

/** Adds a user. */
export function NewUser() {
  return (
    <Page title="New user" about={<Link to="/users">All users</Link>}>
      <UserForm />
    </Page>
  );
}

/** Changes a user. */
export function EditUser() {
  const { id } = useParams({ from: "/users/$id/edit" });
  const { data: user, error } = useQuery({ ...userQuery(id), refetchInterval: false });
  return (
    <Page
      title={user === undefined ? "Edit user" : `Edit ${user.name}`}
      about={<Link to="/users">All users</Link>}
    >
      <Fault error={error} />
      {user === undefined ? null : <UserForm key={user.id} user={user} />}
    </Page>
  );
}

function UserForm({ user: known }: { readonly user?: User }) {
  // As the form shows it, whatever others change meanwhile.
  const [user] = useState(known);
  const navigate = useNavigate();
  const change = useUserChange((saved) => void navigate({ to: "/users/$id", params: { id: saved.id } }));
  const [fault, setFault] = useState<string>();
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [tokens, cost] = [amountIn(form, "tokens"), amountIn(form, "cost")];
    const isWrong = Number.isNaN(tokens ?? 0) || Number.isNaN(cost ?? 0);
    setFault(isWrong ? "Write numbers above 0, such as 200000 and 20, or nothing for no limit." : undefined);
    if (isWrong) return;
    const text = (name: string): string => textIn(form, name);
    const given = {
      name: text("name"),
      role: text("role"),
      mobile: text("mobile") || null,
      persona: text("persona") || null,
    };
    const limits = { tokens, cost };
    if (user === undefined) {
      const filled = Object.entries(given).filter(([, value]) => value !== null);
      change.mutate({ method: "POST", body: { ...Object.fromEntries(filled), budget: limits } });
    } else {
      const budget = changedFields(user.budget, limits);
      const changed = changedFields(user, given);
      const path = userPath(user.id).slice("/users".length);
      const body = Object.keys(budget).length === 0 ? changed : { ...changed, budget };
      change.mutate({ method: "PATCH", path, body });
    }
  };
  const { error } = change;
  const field = error instanceof RequestRefused ? error.field : undefined;
  return (
    <Panel title={user === undefined ? "Who it is" : "Change"}>
      <form className={row["form"]} onSubmit={send}>
        <Field label="Name" name="name" required defaultValue={user?.name} autoComplete="off" />
        <Field
          label="Mobile number"
          name="mobile"
          type="tel"
          defaultValue={user?.mobile ?? ""}
          hint="With its country code, such as +49 151 23456789. The code for signing in at the app goes there."
          fault={field === "mobile" ? error?.message : undefined}
        />
        <Select
          label="Role"
          name="role"
          values={ROLES}
          defaultValue={user?.role ?? "member"}
          hint="Operators run the home; members have conversations of their own."
        />
        <PersonaField
          defaultValue={user?.persona ?? ""}
          hint="The one that answers them; that of their place without it"
          fault={field === "persona" ? error?.message : undefined}
        />
        <Field
          label="Tokens a month"
          name="tokens"
          inputMode="numeric"
          defaultValue={user?.budget.tokens ?? ""}
          hint="What they may use in a calendar month on all surfaces together; nothing is no limit"
          fault={fault}
        />
        <Field
          label="US dollars a month"
          name="cost"
          inputMode="decimal"
          defaultValue={user?.budget.cost ?? ""}
          hint="Where the prices of models are known; nothing is no limit"
        />
        <Fault error={error} />
        <div className={row["row"]}>
          <Button look="primary" type="submit" disabled={change.isPending}>
            {user === undefined ? "Add the user" : "Save"}
          </Button>
          <Link to="/users" className={buttons["button"]}>
            Cancel
          </Link>
        </div>
      </form>
    </Panel>
  );
}

function textIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** A limit as it was written; `null` for none, `NaN` for what is no limit. */
function amountIn(form: FormData, name: string): number | null {
  const text = textIn(form, name).replaceAll(/[\s_]/g, "");
  if (text === "") return null;
  const value = Number(text.replace(/^\$/, ""));
  return value > 0 ? value : Number.NaN;
}
