import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { GatewayClient } from "../../../../src/rpc/client/gateway-client.ts";
import { ask } from "../../client/dashboard-api.ts";
import { connectGateway, GatewayContext } from "../../client/gateway.ts";
import { signInQuery, type SignIn } from "../../client/sign-in.ts";
import { Button } from "../../design/button.tsx";
import { Activation } from "./activation.tsx";
import { SignInCard } from "./sign-in-card.tsx";
import { PasswordForm } from "./password-form.tsx";
import { ProviderLink, useProviderFault } from "./provider-link.tsx";
import styles from "./sign-in.module.css";

/** Milliseconds between looks whether a dashboard that did not answer does. */
const RETRY_MS = 10_000;

const ADDRESS_CODE = /^#code=([\w-]+)$/;

/** Shows the pages to who is signed in, and to everybody else what signing in takes. */
export function SignInGate({ children }: { readonly children: ReactNode }) {
  const address = useAddressCode();
  const { data, error, refetch } = useQuery({
    ...signInQuery,
    // Asked after the code was used: an answer from before it would say "not signed in" and stay.
    enabled: !address.isUsing,
    refetchInterval: ({ state }) => (state.status === "error" ? RETRY_MS : false),
  });
  const providerFault = useProviderFault();
  const fault = address.fault ?? providerFault;
  if (address.isUsing) return null;
  const again = <Button onClick={() => void refetch()}>Try again</Button>;
  if (data === undefined)
    return error === null ? null : (
      <SignInCard title="The dashboard does not answer">
        <p>{error.message}</p>
        {again}
      </SignInCard>
    );
  return (
    <>
      {error === null ? null : (
        <div role="alert" className={styles["banner"]}>
          <p>{error.message} What you have typed here stays.</p>
          {again}
        </div>
      )}
      <Entrance state={data} fault={fault}>
        {children}
      </Entrance>
    </>
  );
}

interface EntranceProps {
  readonly state: SignIn;
  readonly fault: string | undefined;
  readonly children: ReactNode;
}

function Entrance({ state, fault, children }: EntranceProps) {
  if (state.operator !== undefined) return <Connected>{children}</Connected>;
  if (state.asks === "activate") return <Activation />;
  if (state.asks === "sign-in") return <PasswordForm fault={fault} />;
  return (
    <SignInCard title="Sign in" fault={fault}>
      <p>
        Run <code>agent dashboard</code> on the machine where the agent runs: it prints an address that signs
        you in.
      </p>
      <ProviderLink />
    </SignInCard>
  );
}

/** Uses the code of an address that `agent dashboard` printed, and takes it out of the address bar. */
function useAddressCode() {
  const [code] = useState(() => ADDRESS_CODE.exec(location.hash)?.[1]);
  const [isUsing, setUsing] = useState(code !== undefined);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    // It may be used once: the address bar keeps it no longer than this.
    if (code === undefined || location.hash === "") return;
    history.replaceState(null, "", location.pathname);
    ask("POST", "/sign-in/address", { code })
      .catch((thrown: unknown) => setFault(thrown instanceof Error ? thrown.message : String(thrown)))
      .finally(() => setUsing(false))
      .catch(() => undefined);
  }, [code]);
  return { isUsing, fault };
}

function Connected({ children }: { readonly children: ReactNode }) {
  const [client, setClient] = useState<GatewayClient>();
  useEffect(() => {
    const made = connectGateway();
    setClient(made);
    return () => void made.close();
  }, []);
  return client === undefined ? null : <GatewayContext value={client}>{children}</GatewayContext>;
}
