import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { BackupList, BackupRow } from "../../../src/dashboard/api/backup-routes.ts";
import { ask } from "./dashboard-api.ts";

const REFRESH_MS = 30_000;
const KEY = ["/backups"];

/** The backups of the home, and how to make and delete them. */
export function useBackups() {
  const queries = useQueryClient();
  const lookAgain = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: KEY });
    await queries.invalidateQueries({ queryKey: ["/system/disk"] });
  };
  const list = useQuery({
    queryKey: KEY,
    queryFn: async () => (await ask<z.output<typeof BackupList>>("GET", "/backups")).data,
    refetchInterval: REFRESH_MS,
  });
  const make = useMutation({ mutationFn: () => ask<BackupRow>("POST", "/backups"), onSettled: lookAgain });
  const remove = useMutation({
    mutationFn: (name: string) => ask("DELETE", `/backups/${encodeURIComponent(name)}`),
    onSettled: lookAgain,
  });
  return { list, make, remove };
}
