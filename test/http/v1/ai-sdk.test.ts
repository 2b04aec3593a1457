import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import { describe, expect, test } from "vitest";
import { callTool, say, scriptedModel, used } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { KEY, stageWith } from "../stage.ts";

describe("the Vercel AI SDK, unmodified", () => {
  test("generates and streams text over chat completions", async () => {
    const model = scriptedModel(
      [say("Hello"), used(5, 2)],
      [say("On it. "), callTool("look")],
      [say("Done."), used(5, 2)],
    );
    await using stage = await stageWith(model, { host: { toolsets: toolsOf(testTool("look")) } });
    const provider = createOpenAICompatible({ name: "agent", apiKey: KEY, baseURL: `${stage.url}/v1` });
    const whole = await generateText({ model: provider("agent"), prompt: "hi" });
    expect(whole.text).toBe("Hello");
    expect(whole.usage).toMatchObject({ inputTokens: 5, outputTokens: 2 });
    const streamed = streamText({ model: provider("agent"), prompt: "look" });
    expect((await Array.fromAsync(streamed.textStream)).join("")).toBe("On it. \n\nDone.");
    expect(await streamed.finishReason).toBe("stop");
  });
});
