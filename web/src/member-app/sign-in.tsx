import { type FormEvent, useState } from "react";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import { ask, wordsOf } from "./ask.ts";
import styles from "./app.module.css";

const DIGITS = 6;

/** The way in: a mobile number, then the code that was sent to it. */
export function SignIn({ onDone }: { readonly onDone: () => void }) {
  const [mobile, setMobile] = useState("");
  const [asked, setAsked] = useState(false);
  const [code, setCode] = useState("");
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);

  const run = (step: Promise<unknown>, then: () => void): void => {
    setBusy(true);
    setFault(undefined);
    step
      .then(then)
      .catch((thrown: unknown) => setFault(wordsOf(thrown)))
      .finally(() => setBusy(false));
  };
  const sendCode = (): void => {
    setCode("");
    run(ask("POST", "/sign-in", { mobile }), () => setAsked(true));
  };
  const enter = (text: string): void => run(ask("POST", "/sign-in/code", { mobile, code: text }), onDone);
  const typed = (value: string): void => {
    setCode(value);
    // Most phones fill it in by themselves: then nothing is left to do.
    if (digitsIn(value) === DIGITS && digitsIn(code) < DIGITS && !busy) enter(value);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (asked) enter(code);
    else sendCode();
  };

  return (
    <main className={styles["signIn"]}>
      <img src="/icon.svg" alt="" width={56} height={56} />
      <h1>Sign in to your chat</h1>
      <form onSubmit={submit} className={styles["form"]}>
        {asked ? (
          <>
            <p className={styles["soft"]} role="status">
              If {mobile} may sign in here, it gets a text with six digits within a minute. They are good for
              five minutes.
            </p>
            <CodeField value={code} fault={fault} onChange={typed} />
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
          <div className={styles["others"]}>
            <Button look="quiet" disabled={busy} onClick={sendCode}>
              Send a new code
            </Button>
            <Button
              look="quiet"
              onClick={() => {
                setAsked(false);
                setFault(undefined);
              }}
            >
              Another number
            </Button>
          </div>
        ) : null}
      </form>
    </main>
  );
}

const digitsIn = (text: string): number => text.replaceAll(/\D/g, "").length;

interface CodeFieldProps {
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}

const CodeField = ({ value, fault, onChange }: CodeFieldProps) => (
  <Field
    label="Code"
    value={value}
    onChange={({ target }) => onChange(target.value)}
    inputMode="numeric"
    autoComplete="one-time-code"
    pattern="[0-9 ]{6,8}"
    maxLength={8}
    autoFocus
    required
    fault={fault}
  />
);
