import { random } from "../../kit/counts.ts";
import { field, reply, say, startModelServer } from "../../kit/model-server/index.ts";
import { type Exchange, historyFaults } from "./check-history.ts";
import { answerTo } from "./echo-model.ts";
import type { ProvedPlatform } from "./fake-platform.ts";
import { gatewayStage } from "./gateway-stage.ts";

const PEOPLE = 3;
/** Milliseconds behind a request or its answer in which the process is killed. */
const SPREAD_MS = 40;

/**
 * Kills a real `agent gateway` again and again, each time at a random moment of a random step: before, during and after a
 * request of the bot that acknowledges, sends or edits. What people saw in the end is checked.
 *
 * @returns the faults of the history
 */
export async function killOften(
  { platform, start }: ProvedPlatform,
  kills: number,
): Promise<readonly string[]> {
  const chance = random(4711);
  let kill: () => void = () => undefined;
  let left = 0;
  await using fake = await start({
    // A request, or its answer, is one step; one of the next few is the last.
    onRequest: () => {
      left -= 1;
      if (left !== 0) return;
      if (chance() < 0.5) kill();
      else setTimeout(kill, SPREAD_MS * chance());
    },
  });
  await using model = await startModelServer({
    answer: (request) => reply(say(`Here is ${answerTo(lastWord(request.body))} for you.`)),
  });
  await using stage = await gatewayStage({ platform, fake, model: model.baseUrl });
  const sent: Exchange[] = [];
  const said = (): string => fake.history.messages.map(({ text }) => text).join("\n");
  const write = (text: string): void => {
    sent.push({ place: fake.say(1 + (sent.length % PEOPLE), text), answer: answerTo(text) });
  };
  if (fake.listened !== undefined) {
    const gateway = stage.start(["gateway"]);
    await fake.listened();
    for (let person = 1; person <= PEOPLE; person += 1) write(`hello${person}`);
    await fake.history.until(() => sent.every(({ answer }) => said().includes(answer)));
    gateway.child.kill("SIGTERM");
    await gateway.end;
  }
  for (let index = 0; index < kills; index += 1) {
    const gateway = stage.start(["gateway"]);
    kill = () => void gateway.child.kill("SIGKILL");
    // The first requests connect; a message takes some six more.
    left = 4 + Math.floor(chance() * 14);
    write(`k${index}a`);
    write(`k${index}b`);
    // All is said before the step came: it is killed then.
    const [first, second] = sent.slice(-2).map(({ answer }) => answer);
    void fake.history
      .until(() => [first, second].every((answer) => said().includes(answer ?? "")))
      .then(kill);
    await gateway.end;
  }
  left = 0;
  const gateway = stage.start(["gateway"]);
  write("last");
  await fake.history.until(() => said().includes(answerTo("last")) && fake.unconfirmed === 0);
  const all = (): boolean =>
    historyFaults(fake.history, sent).every((fault) => !fault.includes("nothing says"));
  await fake.history.until(all);
  gateway.child.kill("SIGTERM");
  await gateway.end;
  return historyFaults(fake.history, sent);
}

/** The word that the newest message in a request ends with: above it may stand that the turn before was interrupted. */
function lastWord(body: unknown): string {
  const messages = field(body, "messages");
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = field(last, "content");
  const text = Array.isArray(content) ? field(content[0], "text") : content;
  return String(text).trim().split(/\s+/).at(-1) ?? "";
}
