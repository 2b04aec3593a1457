import { createRequire } from "node:module";

/** The library that the Standard Webhooks project gives out, and svix builds on; another package brings it along. */
export const { Webhook } = createRequire(createRequire(import.meta.url).resolve("@anthropic-ai/sdk"))(
  "standardwebhooks",
) as {
  Webhook: new (
    secret: string,
    options?: { readonly format: "raw" },
  ) => {
    verify(body: string, headers: Readonly<Record<string, string>>): unknown;
    sign(id: string, time: Date, body: string): string;
  };
};
