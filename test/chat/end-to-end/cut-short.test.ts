import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { gate, reply, say, startModelServer, waitAt } from "../../kit/model-server/index.ts";
import { FAKES } from "../kit/fakes.ts";
import { gatewayStage } from "../kit/gateway-stage.ts";

/** How each platform's message is posted. */
const POST = /^(?:\/open-apis\/im\/v1\/messages|chat\.postMessage|POST \/posts)$/;

// The platform takes a message once by its id, the agent looks for it, or nobody can know.
test.each(["feishu", "mattermost", "slack"])(
  "%s: the first words were posted as the process was killed: the next run goes on in the same message",
  async (name) => {
    const platform = CHAT_PLATFORMS.find((each) => each.name === name);
    const start = FAKES.get(name);
    if (platform === undefined || start === undefined) throw new Error(`There is no ${name}.`);
    let atPost: () => void = () => undefined;
    await using fake = await start({
      onRequest: (method, when) => {
        if (when === "before" && POST.test(method)) atPost();
      },
    });
    const never = gate();
    let answers = 0;
    await using model = await startModelServer({
      answer: () => {
        answers += 1;
        return answers === 1
          ? reply([...say("Here are the first words"), waitAt(never)])
          : reply(say("Here is the whole answer."));
      },
    });
    await using stage = await gatewayStage({ platform, fake, model: model.baseUrl });
    const first = stage.start(["gateway"]);
    atPost = () => void first.child.kill("SIGKILL");
    await fake.listened?.();
    const place = fake.say(1, "a question");
    await first.end;
    atPost = () => undefined;
    expect(fake.history.said(place)).toEqual(["Here are the first words"]);
    const second = stage.start(["gateway"]);
    await fake.history.until(() => fake.history.said(place).some((text) => text.includes("whole answer")));
    second.child.kill("SIGTERM");
    await second.end;
    never.open();
    expect(fake.history.said(place)).toEqual(["Here is the whole answer."]);
  },
);
