export { codeHostCommentSender, type RunTool } from "./code-host-comment.ts";
export { mailSender } from "./email.ts";
export { PLATFORMS, REFUSED_PLATFORMS } from "./platforms/index.ts";
export { platformSender, type PlatformTransport } from "./platform-sender.ts";
export { smsSender } from "./sms.ts";
