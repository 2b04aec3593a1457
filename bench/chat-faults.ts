import { parseArgs } from "node:util";
import { CHAT_PLATFORMS } from "../src/chat/index.ts";
import { dovecotMissing } from "../test/chat/email/dovecot.ts";
import { hasAnswer, judgeHistory, type Exchange } from "../test/chat/kit/check-history.ts";
import { startChat } from "../test/chat/kit/chat-process.ts";
import { answerTo, echoModel } from "../test/chat/kit/echo-model.ts";
import { FAKES } from "../test/chat/kit/fakes.ts";
import { quick } from "../test/chat/kit/fake-platform.ts";
import type { FaultRates } from "../test/chat/kit/faults.ts";

/**
 * What becomes of messages on each chat platform under each fault: messages of 50 people, answered by a model that repeats
 * them, over a fake of the platform's real API. `--messages` with all faults together, `--single` with one kind alone.
 */
const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "1000" },
    single: { type: "string" },
    rate: { type: "string", default: "0.01" },
    only: { type: "string", multiple: true },
  },
});
const MESSAGES = Number(values.messages);
/** Where there is one kind of fault alone. */
const FEWER = Number(values.single ?? values.messages);
const PEOPLE = 50;
/** Milliseconds without any change after which what is missing counts as lost. */
const SILENCE = 90_000;
const RATE = Number(values.rate);
const KINDS = ["drop", "lose", "limit", "garble", "duplicate", "reorder"] as const;
const ALL = Object.fromEntries(KINDS.map((kind) => [kind, RATE])) as FaultRates;
const faultsOf: readonly (readonly [name: string, rates: FaultRates])[] = [
  ...KINDS.map((kind) => [kind, { [kind]: RATE }] as const),
  ["all", ALL],
];

const COLUMNS = ["lost", "doubled", "marked", "misordered", "failed", "breaches"] as const;
const line = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell, index) => String(cell).padEnd(index < 2 ? 12 : 10)).join(" | ")} |`;
console.log(
  `${MESSAGES} messages with all faults, ${FEWER} with one; each befalls ${RATE * 100} % of requests or events\n`,
);
if (dovecotMissing !== undefined) console.log(`email has a fake of an IMAP server: ${dovecotMissing}\n`);
console.log(line(["platform", "fault", ...COLUMNS]));
console.log(line(["---", "---", ...COLUMNS.map(() => "---")]));

for (const platform of CHAT_PLATFORMS) {
  const start = FAKES.get(platform.name);
  if (start === undefined || !(values.only?.includes(platform.name) ?? true)) continue;
  for (const [name, faults] of faultsOf) {
    await using fake = await start({ faults });
    await using chat = await startChat({
      platform: quick(platform),
      account: fake.account,
      models: echoModel(),
    });
    fake.postTo?.((request) => chat.connector.webhook(request));
    await fake.listened?.();
    const sent: Exchange[] = [];
    for (let index = 0; index < (name === "all" ? MESSAGES : FEWER); index += 1) {
      const text = `m${index}`;
      sent.push({ place: fake.say(1 + (index % PEOPLE), text), answer: answerTo(text) });
    }
    let open = new Set(sent);
    await new Promise<void>((resolve) => {
      let giveUp = setTimeout(resolve, SILENCE);
      const over = fake.history.until(() => {
        clearTimeout(giveUp);
        giveUp = setTimeout(resolve, SILENCE);
        const changed = fake.history.takeChanged();
        open = new Set([...open].filter(({ answer }) => !changed.some((text) => hasAnswer(text, answer))));
        return open.size === 0;
      });
      void over.then(() => {
        clearTimeout(giveUp);
        resolve();
      });
    });
    const verdict = judgeHistory(fake.history, sent);
    console.log(line([platform.name, name, ...COLUMNS.map((column) => verdict[column])]));
    for (const fault of verdict.faults.slice(0, 5)) console.log(`  ${fault}`);
    if (verdict.faults.length > 0) process.exitCode = 1;
  }
}
process.exit();
