/**
 * Texts in which every code unit takes one column, and none joins its neighbour: what most rows of a terminal are made of, with
 * their marks and lines. To measure others takes tables that the first frame of a terminal client need not wait for.
 */
export const NARROW =
  /^[ -\x7e\xa0-\xac\xae-\xff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc\u2713-\u2727\u2758-\u2794\u2800-\u28ff]*$/;
