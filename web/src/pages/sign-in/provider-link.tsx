import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { z } from "zod";
import type { ProviderFault } from "../../../../src/dashboard/api/openid-routes.ts";
import { signInQuery } from "../../client/sign-in.ts";
import { ButtonLink } from "../../design/button.tsx";

/** The way to the team's identity provider, where there is one. */
export function ProviderLink() {
  const provider = useQuery(signInQuery).data?.provider;
  return provider === undefined ? null : (
    <ButtonLink href="/dashboard/api/openid">Sign in with {provider}</ButtonLink>
  );
}

const RETURNED = /^#provider=(\w+)$/;

const WORDS: Readonly<Record<z.output<typeof ProviderFault>, string>> = {
  refused:
    "You were not let in: the provider did not say that you are an operator here. The audit log says why.",
  unreachable: "The provider cannot be reached now. Try again, or sign in another way.",
  too_many_tries: "Too many tries from your address. Wait for a few minutes.",
  not_activated: "This Box is not activated yet: activate it first.",
};

const isFault = (value: string): value is keyof typeof WORDS => Object.hasOwn(WORDS, value);

/** Says why somebody came back from the provider without being signed in, and takes it out of the address bar. */
export function useProviderFault(): string | undefined {
  const [fault] = useState(() => RETURNED.exec(location.hash)?.[1] ?? "");
  useEffect(() => {
    if (fault !== "" && location.hash !== "") history.replaceState(null, "", location.pathname);
  }, [fault]);
  return isFault(fault) ? WORDS[fault] : undefined;
}
