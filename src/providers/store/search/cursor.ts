import { HostError } from "../../../shared/errors/host-error.ts";

/** The place that the pages of a search have come to. */
export interface SearchPosition {
  /** Documents from here on are newer than the first page. */
  readonly newest: number;
  /** The window that the page is taken from ends before this document. */
  readonly before: number;
  /** Sessions of the window that earlier pages had. */
  readonly shown: number;
}

const FORM = /^(\d{1,15})\.(\d{1,15})\.(\d{1,6})$/;

export const encodePosition = ({ newest, before, shown }: SearchPosition): string =>
  `${newest}.${before}.${shown}`;

/** @throws HostError `invalid_params` */
export function decodePosition(cursor: string): SearchPosition {
  const [, newest, before, shown] = FORM.exec(cursor) ?? [];
  if (newest === undefined || before === undefined || shown === undefined || Number(before) > Number(newest))
    throw wrongCursor();
  return { newest: Number(newest), before: Number(before), shown: Number(shown) };
}

/** The error of a cursor that no page of the search came with. */
export const wrongCursor = (): HostError =>
  new HostError(
    "invalid_params",
    "The cursor is of no page of this search. Pass the one that came with the page before, or none.",
    { details: { subject: "cursor" } },
  );
