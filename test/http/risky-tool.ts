import { z } from "zod";
import { type AnyTool, defineTool } from "../../src/core/index.ts";

/** A tool that asks first. */
export const risky = (): AnyTool =>
  defineTool({
    name: "risky",
    description: "Does something",
    toolset: "test",
    kind: "execute",
    effect: "once",
    input: z.looseObject({}),
    label: () => "risky",
    permit: () =>
      Promise.resolve({
        verdict: "ask",
        harmless: false,
        command: "risky --now",
        description: "It is risky",
        patterns: ["risky"],
        allowPermanent: true,
      }),
    async run() {
      return { outcome: "ok", content: [{ type: "text", text: "did it" }] };
    },
  });
