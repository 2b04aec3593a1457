import { useMutation, useQuery } from "@tanstack/react-query";
import { ask } from "../../client/dashboard-api.ts";
import { type BegunAccount, signInQuery } from "../../client/sign-in.ts";
import { Button } from "../../design/button.tsx";
import { Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import { AuthenticatorForm } from "../sign-in/authenticator-form.tsx";
import { formValues } from "../sign-in/form-values.ts";
import { UserName } from "../sign-in/user-name.tsx";

/** The password and the authenticator with which one signs in from elsewhere. */
export function Account() {
  const { data: state } = useQuery(signInQuery);
  const begin = useMutation({
    mutationFn: ({ password }: Readonly<Record<string, string>>) =>
      ask<BegunAccount>("POST", "/account", { password: password ?? "" }),
  });
  return (
    <Panel title="Password and authenticator">
      {state?.has_account === true ? (
        <p>
          Both are set: one signs in from elsewhere with them. Whoever may use the agent&rsquo;s home takes
          them away with <code>agent dashboard reset</code>; then new ones can be set here.
        </p>
      ) : begin.data === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            begin.mutate(formValues(event.currentTarget));
          }}
        >
          <p>
            Without them one signs in only on the machine itself, with the address that{" "}
            <code>agent dashboard</code> prints.
          </p>
          <UserName />
          <Field
            label="New password"
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={10}
            hint="At least ten characters. An authenticator app is set up next."
            fault={begin.error?.message}
            required
          />
          <Button look="primary" type="submit" disabled={begin.isPending}>
            Go on
          </Button>
        </form>
      ) : (
        <AuthenticatorForm account={begin.data} />
      )}
    </Panel>
  );
}
