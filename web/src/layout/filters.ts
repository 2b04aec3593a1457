import { useNavigate, useSearch } from "@tanstack/react-router";

/** The filters of a list, as they stand in the address bar. */
export interface Filters {
  readonly q?: string;
  readonly state?: string;
  readonly surface?: string;
  readonly person?: string;
  readonly collection?: string;
  readonly persona?: string;
}

const NAMES = ["q", "state", "surface", "person", "collection", "persona"] as const;

/** Reads the filters out of an address; what is none of them is left out. */
export const readFilters = (search: Readonly<Record<string, unknown>>): Filters =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const { [name]: value } = search;
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    }),
  );

/** The filters of the page that is shown, and how to change one of them. */
export function useFilters(): readonly [Filters, (name: keyof Filters, value: string) => void] {
  const navigate = useNavigate();
  const filters = readFilters(useSearch({ strict: false }));
  const change = (name: keyof Filters, value: string): void =>
    void navigate({
      to: ".",
      search: (before: Filters) => readFilters({ ...before, [name]: value }),
      replace: true,
      resetScroll: false,
    });
  return [filters, change];
}
