import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { UserImport, UserRow } from "../../../src/dashboard/api/user-routes.ts";
import { ask } from "./dashboard-api.ts";

/** A person on the roster. */
export type User = UserRow;
/** The outcome of a file of users, before or after it was taken. */
export type Import = UserImport;

const REFRESH_MS = 10_000;
const MOST_LISTED = 1000;

/** The address of a user in the API. */
export const userPath = (id: string): string => `/users/${encodeURIComponent(id)}`;

/** One user. */
export const userQuery = (id: string) =>
  queryOptions({
    queryKey: [userPath(id)],
    queryFn: () => ask<User>("GET", userPath(id)),
    refetchInterval: REFRESH_MS,
  });

/** The users, for who chooses one of them. */
export const usersQuery = queryOptions({
  queryKey: ["/users", "all"],
  queryFn: async () =>
    (await ask<{ readonly data: readonly User[] }>("GET", `/users?limit=${MOST_LISTED}`)).data,
});

interface UserChange {
  readonly method: "POST" | "PATCH" | "DELETE";
  /** Below `/users`. */
  readonly path?: string;
  readonly body?: unknown;
}

/** Changes users, and lets all that shows them look again. */
export function useUserChange<Answer = User>(onDone: (answer: Answer) => void = () => undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ method, path = "", body }: UserChange) => ask<Answer>(method, `/users${path}`, body),
    onSuccess: async (answer) => {
      onDone(answer);
      await queries.invalidateQueries({
        predicate: ({ queryKey: [key] }) => String(key).startsWith("/users"),
      });
    },
  });
}
