import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { BegunAccountWire, SignInState } from "../../../src/dashboard/api/sign-in-routes.ts";
import { ask } from "./dashboard-api.ts";

/** The answer to who is signed in, and what signing in takes. */
export type SignIn = z.output<typeof SignInState>;

/** Who is signed in, and what signing in takes. */
export const signInQuery = queryOptions({
  queryKey: ["sign-in"],
  queryFn: () => ask<SignIn>("GET", "/sign-in"),
});

/** What an operator is shown once. */
export type BegunAccount = z.output<typeof BegunAccountWire>;

/** Signs out, and shows the page that asks who one is. */
export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ask("POST", "/sign-out"),
    onSuccess: () => client.invalidateQueries({ queryKey: signInQuery.queryKey }),
  });
}
