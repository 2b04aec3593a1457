import { useMutation } from "@tanstack/react-query";
import { ask, RequestRefused } from "../../client/dashboard-api.ts";
import type { BegunAccount } from "../../client/sign-in.ts";
import { Button } from "../../design/button.tsx";
import { Field } from "../../design/field.tsx";
import { AuthenticatorForm } from "./authenticator-form.tsx";
import { formValues } from "./form-values.ts";
import { SignInCard } from "./sign-in-card.tsx";
import { UserName } from "./user-name.tsx";

/** The first sign-in at a Box: its code, its licence, a password, a mobile number; then the authenticator. */
export function Activation() {
  const begin = useMutation({
    mutationFn: (body: Readonly<Record<string, string>>) => ask<BegunAccount>("POST", "/activation", body),
  });
  if (begin.data !== undefined)
    return (
      <SignInCard title="Your authenticator">
        <AuthenticatorForm account={begin.data} />
      </SignInCard>
    );
  const refused = begin.error instanceof RequestRefused ? begin.error : undefined;
  const faultOf = (field: string): string | undefined =>
    refused?.field === field ? refused.message : undefined;
  return (
    <SignInCard
      title="Activate this Box"
      fault={refused?.field === undefined ? begin.error?.message : undefined}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          begin.mutate(formValues(event.currentTarget));
        }}
      >
        <Field
          label="Activation code"
          name="activation_code"
          autoComplete="off"
          hint="Eight characters; the machine's screen shows them."
          fault={faultOf("activation_code")}
          required
          autoFocus
        />
        <Field
          label="Licence"
          name="licence"
          autoComplete="off"
          placeholder="CLAW-"
          fault={faultOf("licence")}
          required
        />
        <UserName />
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          hint="At least ten characters."
          fault={faultOf("password")}
          required
        />
        <Field
          label="Your mobile number"
          name="mobile"
          type="tel"
          autoComplete="tel"
          placeholder="+41 79 123 45 67"
          fault={faultOf("mobile")}
          required
        />
        <Button look="primary" type="submit" disabled={begin.isPending}>
          Go on
        </Button>
      </form>
    </SignInCard>
  );
}
