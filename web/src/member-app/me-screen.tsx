import { useEffect, useState } from "react";
import { RequestRefused } from "../client/dashboard-api.ts";
import { Button } from "../design/button.tsx";
import { Ago } from "../design/time.tsx";
import { SchemeButton } from "../layout/scheme-button.tsx";
import { ask, type MemberWire, wordsOf } from "./ask.ts";
import { TopBar } from "./chat-screen.tsx";
import { forgetMember } from "./forget.ts";
import type { Outbox } from "./outbox.ts";
import { goTo } from "./place.ts";
import { PushSettings } from "./push-offer.tsx";
import styles from "./app.module.css";

interface DeviceWire {
  readonly id: string;
  readonly created_at: number;
  readonly seen_at: number;
  readonly browser: string;
  readonly current: boolean;
}

interface MeProps {
  readonly member: MemberWire;
  readonly outbox: Outbox;
  readonly onLeft: () => void;
}

/** Who is signed in, on which devices. */
export function MeScreen({ member, outbox, onLeft }: MeProps) {
  const [devices, setDevices] = useState<readonly DeviceWire[]>([]);
  const [changes, setChanges] = useState(0);
  const [fault, setFault] = useState<string>();
  const failed = (thrown: unknown): void => setFault(wordsOf(thrown));
  useEffect(() => {
    ask<{ readonly data: readonly DeviceWire[] }>("GET", "/devices").then(
      ({ data }) => setDevices(data),
      failed,
    );
  }, [changes]);
  const leave = async (): Promise<void> => {
    // First there: a device that is only forgotten here could be used by its cookie.
    await ask("POST", "/sign-out").catch((thrown: unknown) => {
      // The sign-in ended already: there is nothing left to end there.
      if (!(thrown instanceof RequestRefused) || thrown.status !== 401) throw thrown;
    });
    outbox.stop();
    await outbox.clear();
    await forgetMember();
    goTo("/app", { instead: true });
    onLeft();
  };
  return (
    <>
      <TopBar title={member.name} />
      <div className={styles["me"]}>
        <h2>Your devices</h2>
        <ul className={styles["devices"]}>
          {devices.map(({ id, browser, seen_at: at, current }) => (
            <li key={id}>
              <span>
                <b>{deviceName(browser)}</b>
                <span className={styles["soft"]}>{current ? "This one" : <Ago at={at} />}</span>
              </span>
              {current ? null : (
                <Button
                  onClick={() =>
                    void ask("DELETE", `/devices/${id}`)
                      .catch(failed)
                      .finally(() => setChanges(changes + 1))
                  }
                >
                  Sign out
                </Button>
              )}
            </li>
          ))}
        </ul>
        <PushSettings />
        {fault === undefined ? null : (
          <p className={styles["fault"]} role="alert">
            {fault}
          </p>
        )}
        <div className={styles["choices"]}>
          <SchemeButton />
          <Button look="danger" onClick={() => void leave().catch(failed)}>
            Sign out here
          </Button>
        </div>
      </div>
    </>
  );
}

const SYSTEMS = ["iPhone", "iPad", "Android", "Windows", "Mac OS", "Linux"] as const;
const BROWSERS = ["Firefox", "Edg", "Chrome", "Safari"] as const;

/** The name that people have for a device, as far as its browser says. */
function deviceName(browser: string): string {
  const found = [SYSTEMS, BROWSERS].flatMap((names) => names.find((name) => browser.includes(name)) ?? []);
  return found.length === 0 ? browser.slice(0, 40) || "A device" : found.join(", ").replace("Edg", "Edge");
}
