import { callTool, say, type Step, think, used } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";

export const pick = <T>(choices: readonly [T, ...T[]], next: () => number): T =>
  choices[Math.floor(next() * choices.length)] ?? choices[0];

/** Replies of one turn: text, thoughts and calls in any order, then a last reply without calls. */
export function randomTurn(next: () => number): readonly (readonly Step[])[] {
  const rounds = Array.from({ length: Math.floor(next() * 3) }, () => {
    const calls = Array.from({ length: 1 + Math.floor(next() * 2) }, () =>
      pick([callTool("look", { at: "a" }), callTool("change", { to: "b" }), callTool("break")], next),
    );
    return [...words(next), ...calls];
  });
  return [...rounds, [...words(next), say("The end."), used(10, 5)]];
}

const words = (next: () => number): readonly Step[] =>
  Array.from({ length: Math.floor(next() * 4) }, () =>
    pick([say("some words "), say("\n\nmore"), think("a thought "), say("ünïcode 😀 ")], next),
  );

/** The tools that such turns call. */
export const tools = toolsOf(
  testTool("look"),
  testTool("change", { effect: "once" }),
  testTool("break", { run: () => Promise.reject(new Error("it broke")) }),
);
