import { useEffect, useState } from "react";
import { Button } from "../design/button.tsx";
import { ask, wordsOf } from "./ask.ts";
import { pushState, type PushState, turnOffPush, turnOnPush } from "./push.ts";
import styles from "./app.module.css";

const NOT_NOW = "app:push-not-now";

/** Offers once to tell of answers while the app is closed. */
export function PushOffer() {
  const [isWanted, setWanted] = useState(false);
  const { state, fault, turn } = usePush();
  useEffect(() => setWanted(localStorage.getItem(NOT_NOW) === null), []);
  if (!isWanted || state !== "off" || Notification.permission !== "default") return null;
  return (
    <section className={styles["offer"]} aria-label="Notifications">
      <p>Be told when an answer comes while this is closed?</p>
      <div className={styles["choices"]}>
        <Button look="primary" onClick={() => turn(true)}>
          Turn on
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            localStorage.setItem(NOT_NOW, "1");
            setWanted(false);
          }}
        >
          Not now
        </Button>
      </div>
      <Failed fault={fault} />
    </section>
  );
}

const WORDS: Readonly<Record<PushState, string>> = {
  impossible: "This browser cannot tell you of answers. On an iPhone, put the app on the home screen first.",
  blocked: "This browser was told not to show messages of this address. Change that in its settings.",
  off: "You are not told of answers while this is closed.",
  on: "You are told of answers while this is closed.",
};

/** Says whether this device is told of answers, and changes it. */
export function PushSettings() {
  const { state, fault, turn } = usePush();
  if (state === undefined) return null;
  return (
    <section className={styles["settings"]}>
      <h2>Notifications</h2>
      <p className={styles["soft"]}>{WORDS[state]}</p>
      {state === "on" || state === "off" ? (
        <Button onClick={() => turn(state === "off")}>{state === "off" ? "Turn on" : "Turn off"}</Button>
      ) : null}
      <Failed fault={fault} />
    </section>
  );
}

const Failed = ({ fault }: { readonly fault: string | undefined }) =>
  fault === undefined ? null : (
    <p className={styles["fault"]} role="alert">
      {fault}
    </p>
  );

function usePush() {
  const [state, setState] = useState<PushState>();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    pushState().then(setState, () => setState("impossible"));
  }, []);
  const turn = (on: boolean): void => {
    setFault(undefined);
    const work = on ? turnOnPush() : turnOff();
    work.then(setState, (thrown: unknown) => setFault(wordsOf(thrown)));
  };
  return { state, fault, turn };
}

async function turnOff(): Promise<PushState> {
  await turnOffPush();
  await ask("DELETE", "/push");
  return "off";
}
