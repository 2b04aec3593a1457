/** A text as it stands in the composer: chips in it stand for long pastes. */
export interface Written {
  readonly text: string;
  /** The texts behind the chips, by the words of the chip; each of these stands in the text. */
  readonly pastes: ReadonlyMap<string, string>;
}

/** Makes a text of which every word means itself, also one that reads like a chip. */
export const withoutPastes = (text: string): Written => ({ text, pastes: new Map() });

export const NOTHING_WRITTEN = withoutPastes("");

/** Gives the text as it is sent: each chip is replaced by what it stands for, which is not searched for chips again. */
export function expanded({ text, pastes }: Written): string {
  let sent = "";
  let rest = text;
  for (let next = firstChip(rest, pastes); next !== undefined; next = firstChip(rest, pastes)) {
    sent += rest.slice(0, next.at) + next.pasted;
    rest = rest.slice(next.at + next.chip.length);
  }
  return sent + rest;
}

function firstChip(text: string, pastes: Written["pastes"]) {
  return [...pastes]
    .map(([chip, pasted]) => ({ chip, pasted, at: text.indexOf(chip) }))
    .filter(({ at }) => at !== -1)
    .toSorted((one, other) => one.at - other.at)[0];
}

/** Leaves out the pastes whose chips are gone: the same words, typed later, are no chip. */
export function withItsPastes(text: string, pastes: Written["pastes"]): Written {
  const kept = [...pastes].filter(([chip]) => text.includes(chip));
  return { text, pastes: kept.length === pastes.size ? pastes : new Map(kept) };
}

export const isSame = (one: Written, other: Written): boolean =>
  one.text === other.text &&
  one.pastes.size === other.pastes.size &&
  [...one.pastes].every(([chip, pasted]) => other.pastes.get(chip) === pasted);
