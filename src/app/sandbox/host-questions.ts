import { HostError } from "../../shared/errors/host-error.ts";
import type { CallAsker, HostDecision, HostTarget } from "../../providers/tools/index.ts";

/** The running calls of one session, which can ask people about hosts. */
export class HostQuestions {
  readonly #calls = new Set<{ readonly asker: CallAsker; readonly answers: Map<string, Promise<Answer>> }>();

  /** Lets a call ask until it is disposed. */
  add(asker: CallAsker): Disposable {
    const call = { asker, answers: new Map<string, Promise<Answer>>() };
    this.#calls.add(call);
    return { [Symbol.dispose]: () => void this.#calls.delete(call) };
  }

  /**
   * Asks about a host; each call asks once about each.
   *
   * @param lasting - told of an entry that is to hold for the session
   * @throws HostError `tool_failed` when no call runs that could ask
   */
  async ask(target: HostTarget, lasting: (entry: string) => void): Promise<HostDecision> {
    const call = [...this.#calls].at(-1);
    if (call === undefined) throw new HostError("tool_failed", "Nobody can be asked about a host now");
    const entry = hostEntryOf(target);
    let answer = call.answers.get(entry);
    if (answer === undefined) {
      answer = askAbout(entry, call.asker);
      call.answers.set(entry, answer);
    }
    const decided = await answer;
    if (decided === "lasting") lasting(entry);
    return decided === "deny" ? "deny" : "allow";
  }
}

type Answer = "once" | "lasting" | "deny";

async function askAbout(entry: string, { ask, command }: CallAsker): Promise<Answer> {
  const answer = await ask({
    kind: "grant",
    command: `connect to ${entry}`,
    description: `A command in the sandbox waits for this connection: ${command}`,
    reasons: ["wants to reach a host that nobody has allowed"],
    patterns: [`reach:${entry}`],
    allowPermanent: true,
    place: "inside",
  });
  if (answer.outcome !== "answered" || answer.text === "deny") return "deny";
  return answer.text === "once" ? "once" : "lasting";
}

/** The entry of the list of hosts that a target needs: the usual ports go without saying. */
export function hostEntryOf({ host, port }: HostTarget): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === 443 || port === 80 ? name : `${name}:${port}`;
}
