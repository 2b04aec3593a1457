import { type AnyTool, defineTool, type Models } from "../../../src/core/index.ts";
import { z } from "zod";
import { callTool, gate, say, scriptedModelWith, type Step, wait } from "../../kit/scripted-model.ts";

const LONGEST_PIECE_MS = 60;
const ASKS = 0.15;
const ACTS = 0.35;

/** A model that streams in pieces of its own pace, and now and then asks a question or acts. */
export function machineModel(name: string, random: () => number): Models {
  let calls = 0;
  const pieces = (): readonly Step[] =>
    Array.from({ length: 2 + Math.floor(random() * 8) }, (_, at) => [
      pausing(random() * LONGEST_PIECE_MS),
      say(`${name} says ${at} `),
    ]).flat();
  return scriptedModelWith({
    otherwise: ({ messages }) => {
      const chance = messages.at(-1)?.role === "tool" ? 1 : random();
      if (chance >= ACTS) return pieces();
      calls += 1;
      return [...pieces(), callTool(chance < ASKS ? "ask" : "act", {}, `call-${name}-${calls}`)];
    },
  });
}

function pausing(ms: number): Step {
  const at = gate();
  // The time passes once somebody waits.
  void at.reached.then(() => setTimeout(() => at.open(), ms));
  return wait(at);
}

/** A tool that must not run twice, and tells when it runs. */
export const actingTool = (ran: (session: string, callId: string, part: "begin" | "more") => void): AnyTool =>
  defineTool({
    name: "act",
    description: "Acts",
    toolset: "test",
    kind: "other",
    effect: "once",
    input: z.object({}),
    label: () => "act",
    async run(_input, context) {
      ran(context.session.id, context.callId, "begin");
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (!context.signal.aborted) ran(context.session.id, context.callId, "more");
      return { outcome: "ok", content: [{ type: "text", text: "done" }] };
    },
  });
