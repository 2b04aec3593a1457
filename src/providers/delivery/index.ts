export { codeHostCommentSender, type RunTool } from "./code-host-comment.ts";
export { deliverableText } from "./deliverable-text.ts";
export { MATRIX_HTML, PLAIN, SLACK_MRKDWN, TELEGRAM_HTML, WHATSAPP_SIGNS } from "./markdown/flavour.ts";
export { type MarkdownPart, markdownParts, type MessageRoom } from "./markdown/parts.ts";
export { type MailAccount, sendMail, verifyMailServer } from "./email.ts";
export { PLATFORMS, REFUSED_PLATFORMS } from "./platforms/index.ts";
export { MESSAGE_RETRY_MS, platformSender, type PlatformTransport } from "./platform-sender.ts";
export { smsSender } from "./sms.ts";
