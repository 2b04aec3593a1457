import { FakeDingtalk } from "../dingtalk/fake-dingtalk.ts";
import { FakeDiscord } from "../discord/fake-discord.ts";
import { dovecotMissing } from "../email/dovecot.ts";
import { dovecotMailbox } from "../email/dovecot-mailbox.ts";
import { FakeEmail } from "../email/fake-email.ts";
import { FakeFeishu } from "../feishu/fake-feishu.ts";
import { FakeMatrix } from "../matrix/fake-matrix.ts";
import { FakeMattermost } from "../mattermost/fake-mattermost.ts";
import { FakeSignal } from "../signal/fake-signal.ts";
import { FakeSlack } from "../slack/fake-slack.ts";
import { FakeTelegram } from "../telegram/fake-telegram.ts";
import { FakeWecom } from "../wecom/fake-wecom.ts";
import { FakeWhatsapp } from "../whatsapp/fake-whatsapp.ts";
import type { FakeOptions, FakePlatform } from "./fake-platform.ts";

/** The fakes of all platforms, by the platforms' names. */
export const FAKES: ReadonlyMap<string, (options?: FakeOptions) => Promise<FakePlatform>> = new Map<
  string,
  (options?: FakeOptions) => Promise<FakePlatform>
>([
  ["telegram", (options) => FakeTelegram.start(options)],
  ["discord", (options) => FakeDiscord.start(options)],
  ["slack", (options) => FakeSlack.start(options)],
  ["whatsapp", (options) => FakeWhatsapp.start(options)],
  ["signal", (options) => FakeSignal.start(options)],
  ["matrix", (options) => FakeMatrix.start(options)],
  ["mattermost", (options) => FakeMattermost.start(options)],
  // A real IMAP server where there is one.
  ["email", (options) => FakeEmail.start(options, dovecotMissing === undefined ? dovecotMailbox : undefined)],
  ["feishu", (options) => FakeFeishu.start(options)],
  ["dingtalk", (options) => FakeDingtalk.start(options)],
  ["wecom", (options) => FakeWecom.start(options)],
]);
