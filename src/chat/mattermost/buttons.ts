import type { Button } from "../port/outgoing.ts";
import { signatureOf } from "./verify.ts";

/** The address to which the server posts when a button is pressed, and the secret that proves it. */
export interface ButtonAddress {
  readonly url: string;
  readonly secret: string;
}

/**
 * The properties of a post that are its buttons; none takes away those that were there. The address of a button is kept on
 * the server and shown to nobody: https://developers.mattermost.com/integrate/plugins/interactive-messages
 */
export function buttonProps(
  buttons: readonly Button[],
  { url, secret }: ButtonAddress,
): Readonly<Record<string, unknown>> {
  if (buttons.length === 0) return { attachments: [] };
  const actions = buttons.map(({ label, value }, index) => {
    const query = new URLSearchParams({ value, signature: signatureOf(secret, value) });
    return {
      id: `answer${index}`,
      type: "button",
      name: label,
      integration: { url: `${url}?${query.toString()}`, context: {} },
    };
  });
  return { attachments: [{ fallback: "Buttons", actions }] };
}
