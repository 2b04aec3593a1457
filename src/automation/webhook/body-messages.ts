/** The words for bodies that are not taken. */
export const BODY_MESSAGES = {
  encoded: "Send the body unpacked: Content-Encoding is not taken",
  invalidLength: "Content-Length must be a number",
  tooLarge: "Payload too large",
  brokenOff: "Bad request",
};
