import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ask } from "../../client/dashboard-api.ts";
import { type BegunAccount, signInQuery } from "../../client/sign-in.ts";
import { Button } from "../../design/button.tsx";
import { Field } from "../../design/field.tsx";
import { formValues } from "./form-values.ts";
import styles from "./sign-in.module.css";

/** Shows the QR code and the recovery codes, once, and asks for the authenticator's first code. */
export function AuthenticatorForm({ account }: { readonly account: BegunAccount }) {
  const client = useQueryClient();
  const picture = useMemo(() => `data:image/svg+xml,${encodeURIComponent(account.svg)}`, [account.svg]);
  const finish = useMutation({
    mutationFn: ({ code }: Readonly<Record<string, string>>) =>
      ask("POST", "/activation/finish", { draft: account.draft, code: code ?? "" }),
    onSuccess: () => client.invalidateQueries({ queryKey: signInQuery.queryKey }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        finish.mutate(formValues(event.currentTarget));
      }}
    >
      <p>Scan this with an authenticator app. It is shown only now.</p>
      <img className={styles["qr"]} src={picture} alt="QR code for the authenticator app" />
      <p>
        Or type this key: <code>{account.secret}</code>
      </p>
      <p>Keep these recovery codes. Each stands in for the authenticator once.</p>
      <ul className={styles["codes"]}>
        {account.recovery_codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Field
        label="Code"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        hint="The six digits that the app shows now."
        fault={finish.error?.message}
        required
      />
      <Button look="primary" type="submit" disabled={finish.isPending}>
        Done
      </Button>
    </form>
  );
}
