import { expect, test } from "vitest";
import { promptText, type Session } from "../../src/core/index.ts";
import { CommandStage } from "../kit/command.ts";
import { random, times } from "../kit/counts.ts";
import { askingGateway, TOKEN } from "./asking-gateway.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const QUESTIONS = times(1000);

/** Somebody who writes prompts and looks at nothing: letters, numbers, line breaks, slow and fast, and pastes of them. */
class Typist {
  readonly #terminal: TestTerminal;
  readonly #random: () => number;
  typed = "";

  constructor(terminal: TestTerminal, source: () => number) {
    this.#terminal = terminal;
    this.#random = source;
  }

  async type(): Promise<void> {
    const text = this.#text();
    this.typed += text;
    const way = this.#pick(5);
    if (way === 0) return this.#terminal.type(KEYS.paste(text.replaceAll("\r", "\n")));
    if (way === 1) return this.#terminal.type(text);
    if (way === 2) return this.#terminal.type(text + KEYS.enter);
    for (const letter of text) {
      const before = this.#terminal.raw.length;
      this.#terminal.type(letter);
      // A slow typist sees each letter before the next.
      if (way === 3) await this.#terminal.until(() => this.#terminal.raw.length > before, "an echo");
    }
    if (this.#pick(2) === 0) this.#terminal.type(KEYS.enter);
  }

  #text(): string {
    const words = [
      "1",
      "2",
      "3",
      "4",
      "5",
      "y",
      "n",
      "yes",
      "3000",
      "a",
      "allow",
      "always",
      "port 3",
      "1\r2",
    ];
    const count = 1 + this.#pick(5);
    return Array.from({ length: count }, () => words[this.#pick(words.length)] ?? "1").join(" ");
  }

  #pick(below: number): number {
    return Math.floor(this.#random() * below);
  }
}

const letters = (text: string): string => text.replaceAll(/\s/g, "");

interface Said {
  prompts: string;
  readonly answers: string[];
}

/** Follows a session: what was sent into it, and how its questions ended. */
async function follow(session: Session, said: Said, signal: AbortSignal): Promise<void> {
  const prompts = new Set<string>();
  for await (const event of session.events({ live: false, signal })) {
    const isPrompt = event.type === "prompt.queued" || event.type === "turn.start";
    if (isPrompt && !prompts.has(event.prompt.id)) {
      prompts.add(event.prompt.id);
      said.prompts += letters(promptText(event.prompt.parts));
    }
    if (event.type === "steer.accepted") said.prompts += letters(event.text);
    if ("resolution" in event && event.resolution.outcome === "answered")
      said.answers.push(event.resolution.by.surface);
  }
}

test(`typing ahead answers none of ${QUESTIONS} questions that come and go, and loses no letter`, async () => {
  const ran: string[] = [];
  await using gateway = await askingGateway(ran, QUESTIONS);
  await using stage = new CommandStage();
  stage.env["AGENT_GATEWAY_TOKEN"] = TOKEN;
  await using terminal = new TestTerminal(stage, ["--attach", gateway.url], { rows: 40 });
  await terminal.shows("script");
  terminal.send("begin");
  const source = random(7);
  const typist = new Typist(terminal, source);
  await terminal.shows("number 1.");
  const [listed] = await gateway.host.list({ limit: 1, offset: 0 });
  const session = await gateway.host.session(listed?.id ?? "");
  const said = { prompts: "", answers: [] as string[] };
  const over = new AbortController();
  const following = follow(session, said, over.signal);
  const from = { surface: "test" };
  for (let n = 1; n <= QUESTIONS; n += 1) {
    if (source() < 0.5) await terminal.shows(`number ${n}.`);
    await typist.type();
    await expect.poll(() => session.questions().length, { interval: 1 }).toBe(1);
    const [open] = session.questions();
    const { requestId = "", type } = open?.request ?? {};
    const refusal =
      type === "approval.request" ? ({ choice: "deny" } as const) : ({ declined: true } as const);
    await session.answer(requestId, refusal, from);
    if (source() < 0.3) await typist.type();
  }
  terminal.type(KEYS.enter);
  await expect.poll(() => said.prompts).toBe(letters(`begin${typist.typed}`));
  over.abort();
  await following;
  expect(ran).toEqual([]);
  expect(new Set(said.answers)).toEqual(new Set(["test"]));
  expect(session.state.allowed).toEqual([]);
  expect(gateway.kept).toEqual([]);
});
