import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callTool, field, reply, say, startModelServer } from "../../kit/model-server/index.ts";
import type { ProvedPlatform } from "./fake-platform.ts";
import { gatewayStage } from "./gateway-stage.ts";

/** What the agent sends. */
const CHART = { name: "chart 1.csv", bytes: Buffer.from("a;\u00fc\n1;\u0000\n") };

/** A process that is killed when the platform has a file and the process does not know it yet. */
export function proveFileKill({ platform, start }: ProvedPlatform): void {
  test(`${platform.title}: a file that a killed process was sending comes as it was promised, and twice only when it says so`, async () => {
    let atFile: () => void = () => undefined;
    await using fake = await start({ onRequest: () => atFile() });
    await using model = await startModelServer({
      answer: ({ body }) =>
        JSON.stringify(field(body, "messages")).includes("is sent to the chat")
          ? reply(say("That was it."))
          : reply([callTool("send_file", { path: CHART.name, caption: "the-chart" })]),
    });
    await using stage = await gatewayStage({ platform, fake, model: model.baseUrl, files: true });
    writeFileSync(join(stage.workspace, CHART.name), CHART.bytes);
    const first = stage.start(["gateway"]);
    atFile = () => {
      if (fake.history.received.length === 1) first.child.kill("SIGKILL");
    };
    await fake.listened?.();
    const place = fake.say(1, "the chart, please");
    await first.end;
    atFile = () => undefined;
    // What was promised is what it was then.
    writeFileSync(join(stage.workspace, CHART.name), "something else");
    const second = stage.start(["gateway"]);
    await fake.history.until(() =>
      fake.history.said(place).some((text) => /That was it|I was interrupted/.test(text)),
    );
    second.child.kill("SIGTERM");
    await second.end;
    const { received } = fake.history;
    const captions = fake.history.said(place).filter((text) => text.includes("the-chart"));
    const marked = captions.filter((text) => text.includes("(sent again after a restart)"));
    expect(received.every(({ bytes }) => CHART.bytes.equals(bytes))).toBe(true);
    expect([captions.length - marked.length, received.length]).toEqual([1, 1 + marked.length]);
    expect(platform.capabilities.resend === "mark" || marked.length === 0).toBe(true);
  });
}
