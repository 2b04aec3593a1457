import { onTestFailed } from "vitest";
import type { RunningCommand } from "../../kit/command.ts";
import { random } from "../../kit/counts.ts";
import { field, reply, say, startModelServer } from "../../kit/model-server/index.ts";
import { type Exchange, historyFaults } from "./check-history.ts";
import { answerTo } from "./echo-model.ts";
import type { ProvedPlatform } from "./fake-platform.ts";
import { gatewayStage } from "./gateway-stage.ts";

const PEOPLE = 3;
/** Milliseconds behind a request or its answer in which the process is killed. */
const SPREAD_MS = 40;

/** A real `agent gateway`, started again after each kill, and what people write to it. */
async function killedGateway({ platform, start }: ProvedPlatform) {
  const chance = random(4711);
  let kill: () => void = () => undefined;
  let left = 0;
  await using parts = new AsyncDisposableStack();
  const fake = parts.use(
    await start({
      // A request, or its answer, is one step; one of the next few is the last.
      onRequest: () => {
        left -= 1;
        if (left !== 0) return;
        if (chance() < 0.5) kill();
        else setTimeout(kill, SPREAD_MS * chance());
      },
    }),
  );
  const model = parts.use(
    await startModelServer({
      answer: (request) => reply(say(`Here is ${answerTo(lastWord(request.body))} for you.`)),
    }),
  );
  const stage = parts.use(await gatewayStage({ platform, fake, model: model.baseUrl }));
  const sent: Exchange[] = [];
  const answered = (exchanges: readonly Exchange[]): boolean => {
    const said = fake.history.messages.map(({ text }) => text).join("\n");
    return exchanges.every(({ answer }) => said.includes(answer));
  };
  let running = 0;
  onTestFailed(() => {
    const said = fake.history.messages.slice(-8).map(({ place, by, text }) => `${place} ${by}: ${text}`);
    console.error(`${running} gateways run; ${fake.unconfirmed} messages wait. The last that was said:`);
    console.error([...said, ...historyFaults(fake.history, sent)].join("\n"));
  });
  const all = parts.move();
  return {
    fake,
    chance,
    start(): RunningCommand {
      const gateway = stage.start(["gateway"]);
      running += 1;
      void gateway.end.then(() => (running -= 1));
      return gateway;
    },
    write(text: string): Exchange {
      const exchange = { place: fake.say(1 + (sent.length % PEOPLE), text), answer: answerTo(text) };
      sent.push(exchange);
      return exchange;
    },
    /** Kills it at one of its next steps; when all is answered before that, then. */
    async killAt(gateway: RunningCommand, step: number, exchanges: readonly Exchange[]): Promise<void> {
      left = step;
      kill = () => void gateway.child.kill("SIGKILL");
      void fake.history.until(() => answered(exchanges)).then(kill);
      await gateway.end;
    },
    async endWhenAnswered(gateway: RunningCommand, exchanges: readonly Exchange[]): Promise<void> {
      left = 0;
      const isOver = (): boolean =>
        answered(exchanges) &&
        fake.unconfirmed === 0 &&
        historyFaults(fake.history, sent).every((fault) => !fault.includes("nothing says"));
      await Promise.race([fake.history.until(isOver), endOf(gateway)]);
      gateway.child.kill("SIGTERM");
      await gateway.end;
    },
    faults: () => historyFaults(fake.history, sent),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Rejects when a gateway ends that nobody has ended. */
async function endOf({ end }: RunningCommand): Promise<never> {
  const { code, signal, stderr } = await end;
  throw new Error(`The gateway ended by itself (${signal ?? code}). ${stderr}`);
}

/**
 * Kills a real `agent gateway` again and again, each time at a random moment of a random step: before, during and after a
 * request of the bot that acknowledges, sends or edits. What people saw in the end is checked.
 *
 * @returns the faults of the history
 */
export async function killOften(proved: ProvedPlatform, kills: number): Promise<readonly string[]> {
  await using on = await killedGateway(proved);
  if (on.fake.listened !== undefined) {
    const gateway = on.start();
    await on.fake.listened();
    const greetings = Array.from({ length: PEOPLE }, (_, person) => on.write(`hello${person + 1}`));
    await on.endWhenAnswered(gateway, greetings);
  }
  for (let index = 0; index < kills; index += 1) {
    const gateway = on.start();
    const exchanges = [on.write(`k${index}a`), on.write(`k${index}b`)];
    // The first requests connect; a message takes some six more.
    await on.killAt(gateway, 4 + Math.floor(on.chance() * 14), exchanges);
  }
  const gateway = on.start();
  await on.endWhenAnswered(gateway, [on.write("last")]);
  return on.faults();
}

/**
 * The same on a platform that forgets what it has handed over: each message is written when the process is connected, which is
 * killed at a step behind the acceptance of that message.
 *
 * @returns the faults of the history
 */
export async function killWhileAnswering(proved: ProvedPlatform, kills: number): Promise<readonly string[]> {
  await using on = await killedGateway(proved);
  const connected = async (): Promise<RunningCommand> => {
    const before = on.fake.timesConnected ?? 0;
    const gateway = on.start();
    await on.fake.history.until(() => (on.fake.timesConnected ?? 0) > before && on.fake.unconfirmed === 0);
    return gateway;
  };
  for (let index = 0; index < kills; index += 1) {
    const gateway = await connected();
    // What it answers late are steps, too.
    await on.killAt(gateway, 1 + Math.floor(on.chance() * 6), [on.write(`k${index}`)]);
  }
  const gateway = await connected();
  await on.endWhenAnswered(gateway, [on.write("last")]);
  return on.faults();
}

/** The word that the newest message in a request ends with: above it may stand that the turn before was interrupted. */
function lastWord(body: unknown): string {
  const messages = field(body, "messages");
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = field(last, "content");
  const text = Array.isArray(content) ? field(content[0], "text") : content;
  return String(text).trim().split(/\s+/).at(-1) ?? "";
}
