import { promptText } from "../../src/core/index.ts";
import { HostError } from "../../src/shared/errors/host-error.ts";
import * as scripted from "../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../kit/test-host.ts";

type Next = () => number;

/** The turns to be cancelled: each takes time in a way of its own. */
const SLOW_TURNS: readonly ((next: Next) => readonly scripted.Step[])[] = [
  () => [scripted.wait(scripted.gate())],
  () => [scripted.think("hm "), scripted.say("half a sentence "), scripted.wait(scripted.gate())],
  () => [scripted.say("first"), scripted.callTool("slow"), scripted.callTool("slow")],
  () => [scripted.callTool("asks")],
  () => [scripted.fail(new HostError("provider_overloaded", "busy", { details: { retryAfterMs: 60_000 } }))],
  (next) => Array.from({ length: Math.floor(next() * 30) }, () => scripted.say("word ")),
];

const NOTHING = () => [];

/** A host whose turns take time in each of those ways, but for prompts that end in "a control". */
export async function slowHost(next: Next) {
  const model = scripted.scriptedModelWith({
    otherwise: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "user" && promptText(last.parts).endsWith("a control")) return [scripted.say("ok")];
      return (SLOW_TURNS[Math.floor(next() * SLOW_TURNS.length)] ?? NOTHING)(next);
    },
  });
  const slow = testTool("slow", {
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
      ),
  });
  return await hostWith(model, { toolsets: toolsOf(slow, testTool("asks", { effect: "once" })) });
}

/** Waits for some turns of the event loop. */
export async function aMoment(next: Next): Promise<void> {
  for (let turns = Math.floor(next() * 40); turns > 0; turns -= 1)
    await new Promise((resolve) => setImmediate(resolve));
}
