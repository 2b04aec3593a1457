import type { ChatPlatform } from "../port/platform.ts";
import { SLACK_CAPABILITIES, SLACK_LIMITS } from "./limits.ts";

/** Slack, through its Web API, Socket Mode and Events API: https://docs.slack.dev/apis */
export const SLACK: ChatPlatform = {
  kind: "messenger_3",
  name: "slack",
  title: "Slack",
  baseUrl: "https://slack.com/api",
  secrets: [
    {
      name: "token",
      variable: "SLACK_TOKEN",
      about:
        "the bot's token, which begins with xoxb-: api.slack.com/apps, your app, OAuth & Permissions, Install to Workspace",
    },
    {
      name: "appToken",
      variable: "SLACK_APP_TOKEN",
      about:
        "the app's token for Socket Mode, which begins with xapp-: api.slack.com/apps, your app, Basic Information, App-Level Tokens, scope connections:write; without it texts only go out, which platforms.slack.extra.receive: false says to be meant",
      connectionOnly: true,
    },
    {
      name: "signingSecret",
      variable: "SLACK_SIGNING_SECRET",
      about:
        "the app's signing secret for extra.mode: webhook: api.slack.com/apps, your app, Basic Information, App Credentials",
      webhookOnly: true,
    },
  ],
  mode: "connection",
  capabilities: SLACK_CAPABILITIES,
  limits: SLACK_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).slackChannel(account, ports),
};
