import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FakeDingtalk } from "./fake-dingtalk.ts";

const [dingtalk] = CHAT_PLATFORMS.filter(({ name }) => name === "dingtalk");
if (dingtalk === undefined) throw new Error("There is no DingTalk.");

provePlatform({ platform: dingtalk, start: (options) => FakeDingtalk.start(options), redelivers: true });
