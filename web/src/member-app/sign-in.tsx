import { type FormEvent, useState } from "react";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import { ask } from "./ask.ts";
import styles from "./app.module.css";

/** The way in: a mobile number, then the code that was sent to it. */
export function SignIn({ onDone }: { readonly onDone: () => void }) {
  const [mobile, setMobile] = useState("");
  const [asked, setAsked] = useState(false);
  const [code, setCode] = useState("");
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);

  const send = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    const step = asked ? ask("POST", "/sign-in/code", { mobile, code }) : ask("POST", "/sign-in", { mobile });
    step
      .then(() => (asked ? onDone() : setAsked(true)))
      .catch((thrown: unknown) => setFault(thrown instanceof Error ? thrown.message : String(thrown)))
      .finally(() => setBusy(false));
  };

  return (
    <main className={styles["signIn"]}>
      <img src="/icon.svg" alt="" width={56} height={56} />
      <h1>Sign in to your chat</h1>
      <form onSubmit={send} className={styles["form"]}>
        {asked ? (
          <>
            <p className={styles["soft"]}>
              If {mobile} may sign in here, it gets a text with a code within a minute.
            </p>
            <Field
              key="code"
              label="Code"
              value={code}
              onChange={({ target }) => setCode(target.value)}
              inputMode="numeric"
              autoComplete="one-time-code"
              pattern="[0-9 ]{6,8}"
              autoFocus
              required
              fault={fault}
            />
          </>
        ) : (
          <Field
            key="mobile"
            label="Your mobile number"
            hint="With its country code, such as +44 7700 900123"
            value={mobile}
            onChange={({ target }) => setMobile(target.value)}
            type="tel"
            autoComplete="tel"
            autoFocus
            required
            fault={fault}
          />
        )}
        <Button look="primary" type="submit" disabled={busy}>
          {asked ? "Sign in" : "Send me a code"}
        </Button>
        {asked ? (
          <Button
            look="quiet"
            onClick={() => {
              setAsked(false);
              setCode("");
              setFault(undefined);
            }}
          >
            Another number, or another code
          </Button>
        ) : null}
      </form>
    </main>
  );
}
