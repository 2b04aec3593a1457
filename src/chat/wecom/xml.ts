const OPEN = /<([A-Za-z]\w*)>/y;
const CDATA = "<![CDATA[";
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * The texts of the elements of a message, `<xml><Name>…</Name>…</xml>`, without those below them. Of two with one name the first
 * counts: WeCom writes who it is from before what somebody wrote.
 */
export function readXml(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = text.indexOf("<xml>") + "<xml>".length;
  if (at < "<xml>".length) return found;
  for (;;) {
    while (/\s/.test(text[at] ?? "")) at += 1;
    OPEN.lastIndex = at;
    const name = OPEN.exec(text)?.[1];
    if (name === undefined) return found;
    const begin = OPEN.lastIndex;
    const isQuoted = text.startsWith(CDATA, begin);
    const close = isQuoted ? `]]></${name}>` : `</${name}>`;
    const end = text.indexOf(close, begin);
    if (end === -1) return found;
    const value = isQuoted ? text.slice(begin + CDATA.length, end) : unescaped(text.slice(begin, end));
    if (!found.has(name)) found.set(name, value);
    at = end + close.length;
  }
}

const unescaped = (text: string): string =>
  text.replaceAll(/&(lt|gt|amp|quot|apos);/g, (_all, name: string) => ENTITIES[name] ?? "");
