const FORM = /^(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+.*)?$/;

/** Whether a version is newer than another one, by the rules of semantic versions; what is none of them is never newer. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [FORM.exec(version), FORM.exec(than)];
  if (one === null || other === null) return false;
  for (const part of [1, 2, 3]) {
    const difference = Number(one[part]) - Number(other[part]);
    if (difference !== 0) return difference > 0;
  }
  return isLaterPrerelease(one[4], other[4]);
}

/** A version without a word behind it comes after those that have one. */
function isLaterPrerelease(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === undefined && other !== undefined;
  return one.localeCompare(other, "en", { numeric: true }) > 0;
}
