import { text as readAll } from "node:stream/consumers";
import { type Account, CHAT_PLATFORMS, type ChatPlatform } from "../../chat/index.ts";
import { configuredChats, reasonOff } from "../../app/chat/chat-account.ts";
import {
  addressOn,
  answeredAccount,
  askedSecrets,
  findPlatform,
  knownSecrets,
  saveSecrets,
  senderOn,
} from "../../app/chat/platform-setup.ts";
import { tryChat } from "../../app/chat/try-chat.ts";
import { type AppSettings, changeConfig, loadSettings } from "../../app/config/settings.ts";
import { EXIT, type Io, write, writeLines } from "../../app/process/io.ts";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";
import { checkLine } from "../terminal/output.ts";
import { Questions } from "./questions.ts";
import type { SetupFlags } from "./setup-flags.ts";

/** The flags that are about a chat platform. */
type PlatformFlags = Pick<SetupFlags, "baseUrl" | "from" | "keyStdin" | "check" | "saveAnyway"> & {
  readonly platform: string;
};

/** `agent setup --platform`: asks for the secrets of a chat platform, tries them, and saves them. */
export async function setupPlatform(io: Io, flags: PlatformFlags): Promise<number> {
  const platform = platformNamed(flags.platform);
  const settings = await loadSettings(io.env, io.cwd);
  const baseUrl = flags.baseUrl ?? addressOn(platform, settings);
  if (baseUrl === undefined)
    throw new HostError(
      "command_usage",
      `Say where ${platform.title} is: agent setup --platform ${platform.name} --base-url ${platform.server ?? "https"}://…`,
    );
  const from = senderOn(platform, flags, settings);
  if (platform.from !== undefined && from === undefined)
    throw new HostError(
      "command_usage",
      `Say --from <id> too: it is ${platform.from}. agent setup --platform ${platform.name} --from <id>`,
    );
  const given = await secretsOf(io, platform, { flags, settings });
  const answers = { secrets: given, ...defined({ baseUrl: flags.baseUrl, from: flags.from }) };
  const account = answeredAccount(platform, { ...answers, baseUrl }, settings);
  if (flags.check && !(await works(io, { platform, account, settings })) && !flags.saveAnyway) {
    await writeLines(io.stderr, "Nothing was saved. Correct it, or use --save-anyway.\n");
    return EXIT.failed;
  }
  const changes = await saveSecrets(platform, { account, answers }, settings);
  await changeConfig(settings.paths, changes);
  await write(io.stdout, `Saved to ${settings.paths.config}: ${platform.title} is on.\n`);
  await writeLines(io.stderr, await nextWords(io, platform));
  return EXIT.completed;
}

/** What is to be done next: what is saved may not be all that people need to write there. */
async function nextWords(io: Io, { name, title }: ChatPlatform): Promise<string> {
  const chats = configuredChats(await loadSettings(io.env, io.cwd));
  const why = reasonOff(chats.find(({ platform }) => platform.name === name));
  return why === undefined
    ? "Start it with `agent gateway`, and write to the bot: it answers with a code for `agent pair <code>`.\n"
    : `Nobody can write on ${title} yet: ${why}\n`;
}

/** @throws HostError `command_usage` */
function platformNamed(name: string): ChatPlatform {
  const found = findPlatform(name);
  if (found !== undefined) return found;
  const names = CHAT_PLATFORMS.map((each) => each.name);
  const meant = nearestName(name, names);
  const hint = meant === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${meant}?`;
  throw new HostError("command_usage", `There is no chat platform ${JSON.stringify(name)}. ${hint}`);
}

/** The secrets from stdin, one line each; else those that are not known, typed unseen. */
async function secretsOf(
  io: Io,
  platform: ChatPlatform,
  { flags, settings }: { readonly flags: PlatformFlags; readonly settings: AppSettings },
): Promise<Readonly<Record<string, string>>> {
  const wanted = askedSecrets(platform);
  if (flags.keyStdin) {
    const lines = (await readAll(io.stdin)).split("\n").map((line) => line.trim());
    return defined(Object.fromEntries(wanted.map(({ name }, index) => [name, lines[index] || undefined])));
  }
  const known = knownSecrets(platform, settings);
  const missing = wanted.filter(({ name }) => known[name] === undefined);
  if (missing.length === 0) return {};
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) {
    const names = missing.map(({ variable, about }) => `${variable} (${about})`).join(", ");
    throw new HostError(
      "command_usage",
      `There is no terminal to ask for ${names}. Set it, or give it with --key-stdin.`,
    );
  }
  using questions = new Questions(io);
  const typed: Record<string, string> = {};
  for (const { name, variable, about } of missing) {
    questions.say(`${variable}: ${about}.`);
    typed[name] = await questions.key(`${variable} (it is not shown): `);
  }
  return typed;
}

async function works(
  io: Io,
  {
    platform,
    account,
    settings,
  }: { readonly platform: ChatPlatform; readonly account: Account; readonly settings: AppSettings },
): Promise<boolean> {
  try {
    const name = await tryChat(platform, account, settings.env);
    await writeLines(io.stderr, checkLine({ name: platform.name, ok: true, text: `the bot is ${name}` }));
    return true;
  } catch (thrown) {
    await writeLines(io.stderr, checkLine({ name: platform.name, ok: false, text: messageOf(thrown) }));
    return false;
  }
}
