import { z } from "zod";
import { type AnyTool, DEFAULT_POLICY, defineTool } from "../../src/core/index.ts";
import { secretCheck } from "../../src/shared/crypto/secret-check.ts";
import { SocketGateway } from "../../src/rpc/index.ts";
import { callTool, say, scriptedModelWith } from "../kit/scripted-model.ts";
import { toolsOf } from "../kit/test-host.ts";
import { GatewayStage } from "../rpc/gateway-stage.ts";

export const TOKEN = "a-token-of-the-test";
const KINDS = ["approval", "clarify", "sudo", "secret"] as const;

/** Calls that ask, of each kind; `ran` has those that somebody allowed or answered. */
function askingTools(ran: string[]): readonly AnyTool[] {
  const input = z.object({ n: z.int() });
  const base = { description: "Asks", toolset: "test", kind: "execute", input } as const;
  const done = (what: string) => {
    ran.push(what);
    return Promise.resolve({ outcome: "ok", content: [] } as const);
  };
  const dangerous = defineTool({
    ...base,
    name: "approval",
    effect: "once",
    label: ({ n }) => `danger number ${n}.`,
    run: ({ n }) => done(`danger ${n}`),
  });
  const asking = KINDS.slice(1).map((kind) =>
    defineTool({
      ...base,
      name: kind,
      effect: "pure",
      label: () => kind,
      async run({ n }, context) {
        const words = `It is number ${n}.`;
        const answer = await context.ask(
          kind === "clarify"
            ? { kind, question: words, choices: n % 2 === 0 ? [] : ["red", "green", "blue"] }
            : kind === "sudo"
              ? { kind, command: words }
              : { kind: "secret", envVar: "KEY", prompt: words },
        );
        return answer.outcome === "answered" ? await done(`${kind} ${n}`) : { outcome: "ok", content: [] };
      },
    }),
  );
  return [dangerous, ...asking];
}

/** A gateway on a port, with a model that asks so many questions, one after the other. */
export async function askingGateway(ran: string[], questions: number) {
  let asked = 0;
  const model = scriptedModelWith({
    contextLength: 100_000_000,
    otherwise: () => {
      asked += 1;
      return asked > questions ? [say("done")] : [callTool(KINDS[asked % 4] ?? "approval", { n: asked })];
    },
  });
  const kept: string[] = [];
  const stage = await GatewayStage.open(model, {
    toolsets: toolsOf(...askingTools(ran)),
    policy: { ...DEFAULT_POLICY, limits: { ...DEFAULT_POLICY.limits, iterations: 10 * questions } },
    rememberPatterns: (patterns) => Promise.resolve(void kept.push(...patterns)),
  });
  const socket = new SocketGateway((wire) => stage.gateway.accept(wire), {
    admission: { isCredential: secretCheck(TOKEN), origins: [] },
  });
  const listener = await socket.listen({ host: "127.0.0.1", port: 0 });
  return {
    host: stage.host,
    kept,
    url: listener.url,
    async [Symbol.asyncDispose]() {
      stage.gateway.close();
      socket.close();
      await listener.close();
      await stage[Symbol.asyncDispose]();
    },
  };
}
