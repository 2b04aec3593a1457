import { wrongCursor } from "../../search/cursor.ts";

/** A place among the texts, which lie in the order of their times. */
export interface TextPlace {
  /** Unix milliseconds. */
  readonly at: number;
  readonly id: number;
}

/** The place that the pages of a search have come to. */
export interface PagePosition {
  /** Texts from here on are newer than the first page. */
  readonly newest: TextPlace;
  /** The window that the page is taken from ends before this text. */
  readonly before: TextPlace;
  /** Sessions of the window that earlier pages had. */
  readonly shown: number;
}

const FORM = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,6})$/;

export const encodePage = ({ newest, before, shown }: PagePosition): string =>
  [newest.at, newest.id, before.at, before.id, shown].join(".");

/** @throws HostError `invalid_params` */
export function decodePage(cursor: string): PagePosition {
  const [newestAt, newestId, at, id, shown] = (FORM.exec(cursor) ?? []).slice(1).map(Number);
  if (
    newestAt === undefined ||
    newestId === undefined ||
    at === undefined ||
    id === undefined ||
    shown === undefined
  )
    throw wrongCursor();
  return { newest: { at: newestAt, id: newestId }, before: { at, id }, shown };
}
