/** The name that a mistyped one most likely means: a few letters or signs were left out, are too many, or change places. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const given = letters(typed);
  return names.find((name) => isClose(letters(name), given));
}

/** Gives the names that a mistyped one may mean: the nearest, else those that share its longest beginning of two letters or more. */
export function nearNames(typed: string, names: readonly string[]): readonly string[] {
  const nearest = nearestName(typed, names);
  if (nearest !== undefined) return [nearest];
  const beginning = typed.toLowerCase();
  for (let length = beginning.length; length >= 2; length -= 1) {
    const near = names.filter((name) => name.startsWith(beginning.slice(0, length)));
    if (near.length > 0) return near;
  }
  return [];
}

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const FEW = 3;

function isClose(name: string, typed: string): boolean {
  // Less is found in every other name.
  if (typed.length < FEW) return false;
  if (Math.abs(name.length - typed.length) > FEW) return false;
  if (isWithin(name, typed) || isWithin(typed, name)) return true;
  const [sorted, other] = [name, typed].map((word) => Array.from(word).toSorted().join(""));
  return sorted === other;
}

/** The letters of `part` stand in `whole`, in their order. */
function isWithin(whole: string, part: string): boolean {
  let found = 0;
  for (const letter of whole) if (letter === part[found]) found += 1;
  return found === part.length;
}
