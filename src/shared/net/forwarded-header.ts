/** Names, in lower case, of the headers in which proxies say whose request they pass on. */
const FORWARDED = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/** Whether a header, by its name in lower case, says who forwarded a request. */
export const isForwardedHeader = (name: string): boolean => FORWARDED.test(name);
