import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { AnsweredRequests } from "../../../src/acp/connection/answered-requests.ts";
import { MessageWriter } from "../../../src/acp/connection/message-writer.ts";
import { PromptRequests } from "../../../src/acp/connection/prompt-requests.ts";
import type { ConnectedAgent } from "../../../src/acp/session/connection.ts";
import { rehearse } from "../../../src/acp/session/rehearsal.ts";
import { v1Agent } from "../../../src/acp/v1/agent.ts";
import { handClock } from "../../kit/clock.ts";
import { say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, untilTrue } from "../../kit/test-host.ts";
import { AcpEditor } from "../acp-stage.ts";
import { hostWire } from "../wire.ts";

test("a rehearsal asks an agent without a host for a session, and tells the client nothing", async () => {
  const told: string[] = [];
  const answers = new AnsweredRequests();
  const writer = new MessageWriter(
    async (text) => void told.push(text),
    (json) => json,
  );
  const process = {
    version: "0",
    readText: () => Promise.resolve(undefined),
    stopProcesses: () => Promise.resolve(0),
  };
  const host = new Promise<never>(() => undefined);
  const parts = { host, writer, answers, prompts: new PromptRequests(answers), process };

  const heard: AnyMessage[] = [];
  await rehearse((own) => overheard(v1Agent(own), heard), parts);
  await writer.drained();
  expect(heard).toMatchObject([
    { id: 1, result: { protocolVersion: 1 } },
    { id: 2, error: { message: expect.stringContaining("Internal error") } },
  ]);
  expect(told).toEqual([]);
});

const overheard = (agent: ConnectedAgent, heard: AnyMessage[]): ConnectedAgent => ({
  ...agent,
  connect({ readable, writable }: Stream) {
    const writer = writable.getWriter();
    const write = (message: AnyMessage): Promise<void> => {
      heard.push(message);
      return writer.write(message);
    };
    return agent.connect({ readable, writable: new WritableStream({ write }) });
  },
});

test("what the first session needs is made ready while a client that was greeted asks for nothing", async () => {
  const clock = handClock();
  let looks = 0;
  const secrets = (): readonly string[] => {
    looks += 1;
    return [];
  };
  await using host = await hostWith(scriptedModel([say("done")]), { clock, secrets });
  const editor = new AcpEditor(hostWire(host));
  await using _ = editor;
  await editor.initialize();
  const isQuiet = (): boolean => clock.pending().some(({ in: left }) => left === 200);
  await untilTrue(isQuiet);
  const before = looks;
  clock.advance(200);
  await untilTrue(isQuiet);
  expect(looks).toBe(before + 2);
  expect(host.live()).toEqual([]);
  clock.advance(200);
  const sessionId = await editor.open("/work");
  await editor.prompt(sessionId, "hi");
  expect(editor.said(sessionId)).toBe("done");
});
