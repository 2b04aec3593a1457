import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { GatewayClient } from "../../../src/rpc/client/gateway-client.ts";
import { ask } from "./dashboard-api.ts";
import type { Result } from "../../../src/rpc/protocol/methods.ts";

type Managed = Result<"skills.manage">;

/** A skill in a list. */
export type SkillEntry = NonNullable<Managed["results"]>[number];

const REFRESH_MS = 5000;

/** The skills with some words, and what is wrong with their files. */
export const skillsQuery = (client: GatewayClient, query: string) =>
  queryOptions({
    queryKey: ["skills", query],
    queryFn: async () => {
      const { results = [] } = await client.request("skills.manage", { action: "search", query });
      const { result } = await client.request("skills.reload", {});
      return { skills: results, warnings: result.warnings };
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** Switches a skill on or off. */
export function useSkillSwitch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, enabled }: Pick<SkillEntry, "name" | "enabled">) =>
      ask("POST", `/skills/${encodeURIComponent(name)}/switch`, { enabled }),
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => key === "skills" || key === "skill" }),
  });
}

/** A skill with its text. */
export const skillQuery = (client: GatewayClient, name: string) =>
  queryOptions({
    queryKey: ["skill", name],
    queryFn: async () => {
      const { info } = await client.request("skills.manage", { action: "inspect", query: name });
      if (info === undefined) throw new Error(`There is no skill ${name}.`);
      return info;
    },
    retry: false,
  });
