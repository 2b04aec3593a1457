import { wordList } from "../text/word-list.ts";

/** The headers that are about one connection, and are not passed on (RFC 9110, section 7.6.1, and the older ones). */
export const HOP_BY_HOP: readonly string[] = wordList(`
  connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade`);
