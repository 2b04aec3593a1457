import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FAKE_WEBHOOK, FakeFeishu, postedMessage } from "./fake-feishu.ts";

const [feishu] = CHAT_PLATFORMS.filter(({ name }) => name === "feishu");
if (feishu === undefined) throw new Error("There is no Feishu.");

provePlatform({
  platform: feishu,
  start: (options) => FakeFeishu.start(options),
  redelivers: true,
  signed: (secret, text) => postedMessage(text, secret),
  webhook: FAKE_WEBHOOK,
});
