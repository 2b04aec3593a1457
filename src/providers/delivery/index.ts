export { codeHostCommentSender, type RunTool } from "./code-host-comment.ts";
export { mailSender } from "./email.ts";
export { PLATFORMS, REFUSED_PLATFORMS } from "./platforms.ts";
export { platformSender, type Send } from "./platform-sender.ts";
export { smsSender } from "./sms.ts";
