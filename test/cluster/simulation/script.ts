import { z } from "zod";
import {
  type AnyTool,
  defineTool,
  type ModelRequest,
  promptText,
  type Toolset,
} from "../../../src/core/index.ts";
import type { EffectEntry } from "../history/history.ts";
import { type Clock, sleep } from "../../../src/shared/async/clock.ts";
import {
  callTool,
  gate,
  say,
  type ScriptedModel,
  scriptedModelWith,
  type Step,
  think,
  wait,
} from "../../kit/scripted-model.ts";
import { toolsOf } from "../../kit/test-host.ts";

const TOOLS = ["look", "act", "work", "ask"] as const;

/** One reply of a turn: how many pieces of text it streams, and the tools that it then calls. */
type Reply = readonly [pieces: number, ...tools: readonly (typeof TOOLS)[number][]];

/** A prompt says itself what its turn does, so that any host answers it alike. */
export function promptWords(id: string, random: () => number): string {
  const replies = Array.from({ length: Math.floor(random() * 4) }, (): Reply => {
    const calls = Array.from({ length: random() < 0.2 ? 2 : 1 }, () => choose(TOOLS, random));
    return [1 + Math.floor(random() * 4), ...calls];
  });
  const last: Reply = [1 + Math.floor(random() * 5)];
  return `${id} ${JSON.stringify([...replies, last])}`;
}

/** One of several, by chance. */
export function choose<T>(list: readonly T[], random: () => number): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
}

/** A model that does what the newest prompt says, at its host's pace. */
export function simulatedModel(clock: Clock, random: () => number): ScriptedModel {
  const model: ScriptedModel = scriptedModelWith({
    otherwise: (request) => {
      // Nobody looks at them, and an hour's would fill the memory.
      model.requests.length = 0;
      model.seen.length = 0;
      return replyTo(request, { clock, random });
    },
  });
  return model;
}

function replyTo(
  { messages }: ModelRequest,
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
): readonly Step[] {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[asked];
  // Prompts that nothing came of stand before it in the same message.
  const prompts =
    message?.role === "user" ? [...promptText(message.parts).matchAll(/(\S+) (\[\[.*\]\])/g)] : [];
  const [, id = "", plan = "[[1]]"] = prompts.at(-1) ?? [];
  const done = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  // `promptWords` wrote it.
  const replies = JSON.parse(plan) as readonly Reply[];
  const [pieces, ...tools] = replies[done] ?? [1];
  const steps: Step[] = [];
  let after = 0;
  for (let index = 0; index < pieces; index += 1) {
    const pause = gate();
    after += 10 + random() * 150;
    clock.after(after, () => pause.open());
    const words = `${id}/${done}.${index} `;
    steps.push(wait(pause), random() < 0.15 ? think(words) : say(words));
  }
  return [...steps, ...tools.map((name, index) => callTool(name, {}, `${id}_${done}_${index}`))];
}

/** Milliseconds between two signs that a tool is still at work. */
const STEP_MS = 500;

/** The tools of a simulated host; `ran` is told of each run of one that must not be repeated. */
export function simulatedTools(
  random: () => number,
  ran: (act: Pick<EffectEntry, "session" | "callId" | "part">) => void,
): readonly Toolset[] {
  const tool = (
    name: string,
    more: Pick<AnyTool, "effect"> & { readonly asks?: true; readonly longest: number },
  ): AnyTool =>
    defineTool({
      name,
      description: `The simulation's ${name}`,
      toolset: "test",
      kind: more.effect === "pure" ? "read" : "execute",
      effect: more.effect,
      input: z.object({}),
      label: () => name,
      permit: async () =>
        more.asks === true
          ? {
              verdict: "ask",
              harmless: false,
              command: name,
              description: name,
              patterns: [],
              allowPermanent: false,
            }
          : { verdict: "allow" },
      async *run(_input, { session, callId, clock, signal }) {
        const did = (part: EffectEntry["part"]): void => {
          if (more.effect === "once") ran({ session: session.id, callId, part });
        };
        did("begin");
        yield { preview: `${name} begins` };
        // Some take long, and are cut off from the store meanwhile.
        const all = random() * (random() < 0.1 ? 20 : 1) * more.longest;
        for (let left = all; left > 0; left -= STEP_MS) {
          await sleep(clock, Math.min(left, STEP_MS), signal);
          signal.throwIfAborted();
          did("more");
        }
        return { outcome: "ok", content: [{ type: "text", text: `${name} is done` }] };
      },
    });
  const ask = defineTool({
    name: "ask",
    description: "Asks people",
    toolset: "test",
    kind: "other",
    effect: "pure",
    input: z.object({}),
    label: () => "ask",
    async *run(_input, context) {
      const answer = await context.ask({ kind: "clarify", question: "Which one?", choices: [] });
      yield { preview: "heard" };
      return { outcome: "ok", content: [{ type: "text", text: answer.outcome }] };
    },
  });
  return toolsOf(
    tool("look", { effect: "pure", longest: 300 }),
    tool("act", { effect: "once", longest: 800 }),
    tool("work", { effect: "once", asks: true, longest: 800 }),
    ask,
  );
}
