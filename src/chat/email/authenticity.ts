import { type Mail, valuesOf } from "./reading/mail.ts";

/**
 * Whether the owner's mail server found out that a mail comes from the domain that it names:
 * https://www.rfc-editor.org/rfc/rfc8601. Anybody can write such a header; the server takes out those with its own name,
 * and puts its own on top.
 *
 * @param authservId - the name that the server gives itself
 */
export function isProved(mail: Pick<Mail, "sender" | "headers">, authservId: string): boolean {
  const { sender } = mail;
  const domain = sender?.split("@").at(-1);
  const topmost = valuesOf(mail, "authentication-results").find(
    (value) => serverOf(value) === authservId.toLowerCase(),
  );
  if (domain === undefined || topmost === undefined) return false;
  const results = resultsIn(topmost);
  const dmarc = results.filter(({ method }) => method === "dmarc");
  // What DMARC says is the last word.
  if (dmarc.length > 0)
    return dmarc.every((each) => each.result === "pass" && isOf(domain, each.domain, true));
  return results.some(
    ({ method, result, domain: proved }) =>
      (method === "dkim" || method === "spf") && result === "pass" && isOf(domain, proved, false),
  );
}

const serverOf = (value: string): string =>
  /^\s*([^\s;]+)/.exec(withoutComments(value))?.[1]?.toLowerCase() ?? "";

interface MethodResult {
  readonly method: string;
  readonly result: string;
  /** Whose it is; empty where the server does not say. */
  readonly domain: string;
}

const DOMAIN: Readonly<Record<string, RegExp>> = {
  dmarc: /\bheader\.from=\s*"?([^\s";]+)/i,
  dkim: /\bheader\.(?:d|i)=\s*"?([^\s";]+)/i,
  spf: /\bsmtp\.mailfrom=\s*"?([^\s";]+)/i,
};

function resultsIn(value: string): readonly MethodResult[] {
  return withoutComments(value)
    .split(";")
    .slice(1)
    .flatMap((each) => {
      const [, method = "", result = ""] = /^\s*([a-z]+)\s*=\s*([a-z]+)/i.exec(each) ?? [];
      const name = method.toLowerCase();
      const given = DOMAIN[name]?.exec(each)?.[1] ?? "";
      return {
        method: name,
        result: result.toLowerCase(),
        domain: (given.split("@").at(-1) ?? "").toLowerCase(),
      };
    });
}

/** Without what stands in brackets, which is for people, and may be a sender's own words. */
function withoutComments(value: string): string {
  let depth = 0;
  let kept = "";
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const sign = value[at] ?? "";
    if (sign === "\\") at += 1;
    else if (sign === '"' && depth === 0) isQuoted = !isQuoted;
    else if (sign === "(" && !isQuoted) depth += 1;
    else if (sign === ")" && !isQuoted) depth = Math.max(0, depth - 1);
    else if (depth === 0 && !(isQuoted && sign === ";")) kept += sign;
  }
  return kept;
}

/** A domain may be spoken for by itself and by what it is below. @param orUnsaid - the server need not name it */
const isOf = (domain: string, proved: string, orUnsaid: boolean): boolean =>
  proved === "" ? orUnsaid : domain === proved || (proved.includes(".") && domain.endsWith(`.${proved}`));
