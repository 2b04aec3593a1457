import type { ListedModel } from "../catalog/model-list.ts";
import { PROVIDER_KINDS, type ProviderKind } from "../dialects/registry.ts";

/** The date of a snapshot at the end of a name. */
const SNAPSHOT = /-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$/;

/** The models of a kind of provider as setup offers them: the newest of those that it recommends first, then as they were listed. */
export function recommendedFirst(kind: ProviderKind, listed: readonly ListedModel[]): readonly ListedModel[] {
  const { recommended } = PROVIDER_KINDS[kind];
  if (recommended === undefined) return listed;
  // Made here: the tables that it compares by take longer to load than all else of a start's own code.
  const byVersion = new Intl.Collator("en", { numeric: true });
  const version = ({ id }: ListedModel): string => id.replace(SNAPSHOT, "");
  const [first] = listed
    .filter(({ id }) => recommended.test(id))
    .toSorted((a, b) => byVersion.compare(version(b), version(a)));
  return first === undefined ? listed : [first, ...listed.filter((model) => model !== first)];
}
