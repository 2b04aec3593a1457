import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FAKE_WECOM_APP, FakeWecom, postedXml, writtenXml } from "./fake-wecom.ts";

const [wecom] = CHAT_PLATFORMS.filter(({ name }) => name === "wecom");
if (wecom === undefined) throw new Error("There is no WeCom.");

provePlatform({
  platform: wecom,
  // It hands a message over once, and wants no acknowledgement.
  forgets: true,
  start: (options) => FakeWecom.start(options),
  signed: (token, text) => postedXml(writtenXml(text), { token }),
  webhook: FAKE_WECOM_APP,
});
