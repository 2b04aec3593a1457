import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { AttentionItem } from "../../../src/dashboard/api/attention-routes.ts";
import { ask } from "./dashboard-api.ts";

const REFRESH_MS = 10_000;
const KEY = "/attention";

/** What goes no further until somebody does something, beside open questions. */
export const attentionQuery = queryOptions({
  queryKey: [KEY],
  queryFn: async () => (await ask<{ readonly data: readonly AttentionItem[] }>("GET", KEY)).data,
  refetchInterval: REFRESH_MS,
});

/** Repairs one of them. */
export function useRepair({ kind, id }: Pick<AttentionItem, "kind" | "id">) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (more: { readonly budget?: string }) => ask("POST", `${KEY}/repair`, { kind, id, ...more }),
    onSettled: () => queries.invalidateQueries({ queryKey: [KEY] }),
  });
}
