import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  KbDocumentDetail,
  KbDocumentRow,
  KbOverview,
  KbPassageWire,
  KbSearchAnswer,
  KbSourceList,
  KbSourceRow,
} from "../../../src/dashboard/api/kb-wire.ts";
import { ask } from "./dashboard-api.ts";

/** A document of the knowledge base. */
export type KbDocument = z.output<typeof KbDocumentRow>;
/** A folder, file or address that documents are read from. */
export type KbSource = z.output<typeof KbSourceRow>;
/** A place that answers a search. */
export type KbPlace = z.output<typeof KbSearchAnswer>["data"][number];

const ALL = "/kb";
const REFRESH_MS = 5000;
/** While something is being read. */
const SOON_MS = 1000;

/** The collections, and the personas that one can search as. */
export const kbQuery = queryOptions({
  queryKey: [ALL],
  queryFn: () => ask<z.output<typeof KbOverview>>("GET", ALL),
  refetchInterval: REFRESH_MS,
});

/** The sources of documents. */
export const sourcesQuery = queryOptions({
  queryKey: [`${ALL}/sources`],
  queryFn: () => ask<z.output<typeof KbSourceList>>("GET", `${ALL}/sources`),
  refetchInterval: ({ state: { data } }) =>
    data?.data.some(({ reading }) => reading !== undefined) === true ? SOON_MS : REFRESH_MS,
});

/** The address of a document in the API. */
export const documentPath = (id: string): string => `${ALL}/documents/${encodeURIComponent(id)}`;

/** The address of a source in the API. */
export const sourcePath = (id: string): string => `${ALL}/sources/${encodeURIComponent(id)}`;

/** One document with its headings. */
export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: [documentPath(id)],
    queryFn: () => ask<z.output<typeof KbDocumentDetail>>("GET", documentPath(id)),
    refetchInterval: REFRESH_MS,
  });

/** What was read of a document, from a piece on. */
export const passageQuery = (id: string, from: number) =>
  queryOptions({
    queryKey: [`${documentPath(id)}/text`, from],
    queryFn: () => ask<z.output<typeof KbPassageWire>>("GET", `${documentPath(id)}/text?from=${from}`),
  });

/** The choices of a search. */
interface SearchWish {
  readonly q: string;
  readonly collection?: string;
  readonly persona?: string;
}

/** The places that a session would get. */
export const searchQuery = (wish: SearchWish) =>
  queryOptions({
    queryKey: [`${ALL}/search`, wish],
    queryFn: () =>
      ask<z.output<typeof KbSearchAnswer>>(
        "GET",
        `${ALL}/search?${new URLSearchParams({ ...wish }).toString()}`,
      ),
    enabled: wish.q.trim() !== "",
    retry: false,
  });

/** A request that changes something of the knowledge base. */
interface KbChange {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

/** Changes something, and lets all that shows documents look again. */
export function useKbChange<Answer = unknown>(onDone: (answer: Answer) => void = () => undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ method, path, body }: KbChange) => ask<Answer>(method, path, body),
    onSuccess: async (answer) => {
      onDone(answer);
      await queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith(ALL) });
    },
  });
}
