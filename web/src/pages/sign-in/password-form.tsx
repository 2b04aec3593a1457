import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ask } from "../../client/dashboard-api.ts";
import { signInQuery } from "../../client/sign-in.ts";
import { Button } from "../../design/button.tsx";
import { Field } from "../../design/field.tsx";
import { formValues } from "./form-values.ts";
import { ProviderLink } from "./provider-link.tsx";
import { SignInCard } from "./sign-in-card.tsx";
import { UserName } from "./user-name.tsx";

/** Asks for the password and the authenticator's code. */
export function PasswordForm({ fault }: { readonly fault: string | undefined }) {
  const client = useQueryClient();
  const signIn = useMutation({
    mutationFn: (body: Readonly<Record<string, string>>) => ask("POST", "/sign-in", body),
    onSuccess: () => client.invalidateQueries({ queryKey: signInQuery.queryKey }),
  });
  return (
    <SignInCard title="Sign in" fault={signIn.error?.message ?? fault}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate(formValues(event.currentTarget));
        }}
      >
        <UserName />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
        <Field
          label="Code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          hint="The six digits that your authenticator shows, or a recovery code."
          required
        />
        <Button look="primary" type="submit" disabled={signIn.isPending}>
          Sign in
        </Button>
      </form>
      <ProviderLink />
    </SignInCard>
  );
}
