import { describe, expect, test } from "vitest";
import { readableError } from "../../src/acp/connection/request-error.ts";
import { boundedInput } from "../../src/acp/projection/bounded-input.ts";
import { fenced } from "../../src/acp/projection/content-blocks.ts";
import { TerminalStream } from "../../src/acp/projection/terminal-stream.ts";
import { readTargets } from "../../src/automation/delivery/target.ts";
import { readSchedule } from "../../src/automation/jobs/read-schedule.ts";
import { scanPrompt } from "../../src/automation/jobs/job-input.ts";
import { deliveryId, eventType, parsePayload } from "../../src/automation/webhook/payload.ts";
import { defaultPrompt, renderTemplate } from "../../src/automation/webhook/template.ts";
import { htmlWords, ownWords } from "../../src/chat/email/words.ts";
import { readAnswer } from "../../src/chat/turns/question-card.ts";
import { isSlashCommand, SlashCommands } from "../../src/core/index.ts";
import { hostsIn } from "../../src/core/state/named-hosts.ts";
import { hostCheck } from "../../src/http/server/hosts.ts";
import { LineSplitter } from "../../src/jsonrpc/line-splitter.ts";
import { readMessage } from "../../src/jsonrpc/message.ts";
import { readSkillText } from "../../src/providers/knowledge/skills/front-matter.ts";
import { visibleText } from "../../src/providers/mcp/visible-text.ts";
import { WHATSAPP_SIGNS, MATRIX_HTML, TELEGRAM_HTML } from "../../src/providers/delivery/markdown/flavour.ts";
import { markdownParts } from "../../src/providers/delivery/markdown/parts.ts";
import { deliverableText } from "../../src/providers/delivery/deliverable-text.ts";
import { splitText } from "../../src/providers/delivery/split-text.ts";
import { intentOf } from "../../src/providers/models/dialects/demo/intents.ts";
import { errorText } from "../../src/providers/models/errors/error-text.ts";
import { EventStreamDecoder } from "../../src/providers/models/stream/body-decoder.ts";
import { rulesFor } from "../../src/providers/tools/command-policy/allow-rules.ts";
import { decodeAnsi } from "../../src/providers/tools/command-policy/hard-block/ansi-quotes.ts";
import { isForkBomb } from "../../src/providers/tools/command-policy/hard-block/fork-bomb.ts";
import { hardBlockReason } from "../../src/providers/tools/command-policy/hard-block/hard-block.ts";
import { reasonsToLeave } from "../../src/providers/tools/command-policy/sandbox-exit.ts";
import { readSimpleLine } from "../../src/providers/tools/command-policy/simple-line.ts";
import { isSecret, isSensitive } from "../../src/providers/tools/workspace/sensitive.ts";
import { editText } from "../../src/providers/tools/files/edit-text.ts";
import { expandAlternatives, matchGlob, parseGlob } from "../../src/providers/tools/files/glob.ts";
import { parseIgnoreFile } from "../../src/providers/tools/files/ignore-rules.ts";
import { cleanOutput } from "../../src/shared/text/control-sequences.ts";
import { decodeText } from "../../src/providers/web/charset.ts";
import { mediaKind } from "../../src/providers/web/media-kind.ts";
import { outlineOf } from "../../src/providers/web/reader/outline.ts";
import { argumentWords } from "../../src/rpc/handlers/commands/catalog.ts";
import { decodeBase64, decodeDataUrl } from "../../src/shared/content/data-url.ts";
import { parseForeignJson, wellFormedJson } from "../../src/shared/json/json.ts";
import { createRedactor } from "../../src/shared/text/redact.ts";
import { findInvisible, findThreat, sanitizeForPrompt } from "../../src/shared/text/text-threats.ts";
import { nearNames } from "../../src/shared/text/nearest-name.ts";
import { cutVisibly, visible } from "../../src/shared/text/visible.ts";
import { removeText, setText, EMPTY_EDITOR } from "../../src/tui/input/text-editor.ts";
import { settle, settleAll } from "../../src/tui/state/live-text.ts";
import { codeBlocks } from "../../src/tui/terminal/clipboard.ts";
import { forTerminal } from "../../src/tui/terminal/terminal-text.ts";
import { diffLines } from "../../src/tui/text/diff.ts";
import { markdownLines } from "../../src/tui/text/markdown.ts";
import { withoutSkills } from "../../src/tui/text/skill-words.ts";
import { wrap, wrapExact } from "../../src/tui/text/wrap.ts";
import { random, timesOr } from "../kit/counts.ts";
import { growthOf, HARD_TEXTS } from "../kit/linear.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const header = (text: string) => (): string => text;
const redactor = createRedactor(["aaaaaaaab", "    secret", "<<<<<<<<!"]);
const commands = new SlashCommands();

const PLACE = {
  cwd: "/home/me/project",
  roots: ["/home/me/project"],
  home: "/home/me",
  pid: 1,
  hostNames: ["node"],
  environment: {},
};

const ASKED = {
  type: "clarify.request",
  requestId: "q",
  turnId: "t",
  callId: "c",
  question: "?",
  choices: ["a"],
  timeoutMs: 0,
  beforeEffect: false,
} as const;

const TARGETS = {
  kinds: new Map([["matrix", { chat: "home", threads: true, needs: [] } as const]]),
  homes: () => [],
};

/** Refusing is an answer like any other. */
function tolerant(work: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    try {
      return work(text);
    } catch {
      return undefined;
    }
  };
}

function inPieces(push: (piece: string) => unknown): (text: string) => void {
  return (text) => {
    for (let at = 0; at < text.length; at += 64) push(text.slice(at, at + 64));
  };
}

/** Everything that reads text of strangers or of a model, by the door or the tool that it comes through. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "errors for editors": (text) => readableError({ code: 1, message: text }),
  "inputs of calls": (text) => boundedInput({ text, list: text.split("a") }),
  "fences of results": fenced,
  "terminal streams": (text) => {
    const stream = new TerminalStream();
    stream.push({ at: 0, text });
    return stream.end(text);
  },
  "delivery targets": (text) => readTargets(text, TARGETS),
  "delivery targets with a place": (text) => readTargets(`matrix:!${text}:`, TARGETS),
  schedules: (text) => readSchedule(text, { now: 0, zone: "UTC" }),
  "schedules with words": (text) => readSchedule(`every ${text}`, { now: 0, zone: "UTC" }),
  "prompts of jobs": scanPrompt,
  "webhook ids": (text) => [
    deliveryId(header(text), { id: text }, () => "0"),
    eventType(header(text), { action: text }),
  ],
  "webhook payloads": (text) => [
    parsePayload(bytes(text), "application/x-www-form-urlencoded"),
    parsePayload(bytes(JSON.stringify({ text })), "application/json"),
  ],
  templates: (text) => renderTemplate(text, { payload: { a: text }, event: text }),
  "prompts without a template": (text) => defaultPrompt({ payload: { a: text }, event: text }, "r"),
  "slash commands": (text) => [
    isSlashCommand(`/${text}`),
    commands.resolve(`/${text}`),
    commands.resolve(text),
  ],
  "hosts in prompts": hostsIn,
  "host headers": (text) => hostCheck(["a.test"])(text),
  "lines of JSON-RPC": (text) => {
    const splitter = new LineSplitter(10_000_000, { scan: true });
    inPieces((piece) => [...splitter.push(bytes(piece))])(`{"jsonrpc":"2.0","a":${JSON.stringify(text)}`);
    return [...splitter.end()];
  },
  "messages of JSON-RPC": (text) =>
    readMessage(`{"jsonrpc":"2.0","method":"a","params":${JSON.stringify([text])}}`),
  skills: (text) => readSkillText(`---\n${text}`, (yaml) => ({ yaml })),
  "texts of MCP servers": (text) => visibleText(text, 1000),
  "deliveries in parts": (text) => markdownParts(deliverableText(text), { limit: 2000 }),
  "deliveries as signs": (text) => markdownParts(text, { limit: 2000, flavour: WHATSAPP_SIGNS }),
  "deliveries as HTML": (text) => [
    markdownParts(text, { limit: 4000, flavour: TELEGRAM_HTML }),
    markdownParts(text, { limit: 16_000, largest: 60_000, flavour: MATRIX_HTML }),
  ],
  "texts in parts": (text) => splitText(text, 1000),
  "prompts for the demo model": intentOf,
  "errors of models": (text) => [
    errorText(text, ["secret"]),
    errorText(JSON.stringify({ error: text }), ["secret"]),
  ],
  "events of models": (text) => inPieces((piece) => new EventStreamDecoder().push(piece))(text),
  "event streams in pieces": (text) => {
    const decoder = new EventStreamDecoder();
    inPieces((piece) => decoder.push(piece))(`data: ${text}`);
    return decoder.end();
  },
  edits: (text) => [
    editText(`${text}x`, { oldText: "x", newText: "y", all: true }, "a"),
    tolerant((old) => editText(text, { oldText: `${old}?`, newText: "y", all: true }, "a"))(
      text.slice(0, 500),
    ),
  ],
  "file patterns": (text) => {
    for (const pattern of expandAlternatives(text)) matchGlob(parseGlob(pattern), ["src", "aaaaaaaab"]);
  },
  "ignore files": parseIgnoreFile,
  "output of commands": cleanOutput,
  "command lines, by the table of programs": (text) => [readSimpleLine(text), readSimpleLine(`ls ${text}`)],
  "command lines, by the hard block": (text) => [
    hardBlockReason(`echo ${text}`, PLACE),
    hardBlockReason(`sh -c '${text}'`, PLACE),
    hardBlockReason(`echo ${text} | xargs rm`, PLACE),
  ],
  "commands that leave the sandbox": (text) => [
    reasonsToLeave(`rsync ${text}`),
    reasonsToLeave(`sudo -a sudo -b ${text}`),
    reasonsToLeave(`sh -c '${text}'`),
  ],
  "rules for commands": (text) => [rulesFor(text), rulesFor(`npm run ${text}`)],
  "quotes of shells": decodeAnsi,
  "fork bombs": isForkBomb,
  "paths with secrets": (text) => [isSecret(text), isSensitive(text)],
  "character sets": (text) => [decodeText(bytes(text), ""), decodeText(bytes("a"), `text/html; ${text}`)],
  "media types": (text) => [mediaKind(text, bytes(text)), mediaKind(`application/${text}`, bytes(text))],
  "outlines of pages": (text) => outlineOf(`<html><body>${text}`),
  "hints of commands": (args) =>
    argumentWords({
      name: "a",
      description: "",
      args,
      aliases: [],
      category: "Info",
      run: () => Promise.reject(new Error("It is not run.")),
    }),
  "addresses with data": (text) => [
    decodeDataUrl(text),
    decodeDataUrl(`data:image/png;base64,${text}`),
    decodeBase64(text),
  ],
  "foreign JSON": (text) => [parseForeignJson(JSON.stringify({ text })), tolerant(parseForeignJson)(text)],
  "halves of pairs in JSON": (text) => wellFormedJson(JSON.stringify([text])),
  redaction: (text) => [redactor.hide(text), redactor.hideInJson(JSON.stringify(text))],
  "redaction of streams": (text) => {
    const stream = redactor.stream();
    inPieces((piece) => stream.push(piece))(text);
    return stream.flush();
  },
  threats: (text) => [findThreat(text), findInvisible(text), sanitizeForPrompt(text)],
  "names that nobody has": (text) => nearNames(text, ["read_file", "write_file"]),
  "mails of HTML": (text) => htmlWords(text.replaceAll(" ", "<i> ")),
  "words of mails": (text) => ownWords(text),
  "answers to questions in a chat": (text) => readAnswer(ASKED, `1${text}x`, true),
  "texts of questions": (text) => [visible(text), cutVisibly(text, { most: 100, rest: "" })],
  "words in the composer": (text) => removeText(setText(EMPTY_EDITOR, text), "wordLeft"),
  "answers as they come": (text) => {
    let live = { text: "" };
    for (let at = 0; at < text.length; at += 4096)
      live = settle({ ...live, text: live.text + text.slice(at, at + 4096) }).rest;
    return settleAll(live);
  },
  "code in answers": codeBlocks,
  "texts for a terminal": forTerminal,
  diffs: (text) => diffLines(text, 80),
  "prompts with skills": withoutSkills,
  "texts on a screen": (text) => wrap(text, 80),
  "code on a screen": (text) => wrapExact([{ text, styles: [] }], 80),
  "Markdown on a screen": (text) => markdownLines(text.slice(0, 20_000), 80),
};

/** Readers that work in windows of some ten thousand characters: how they grow is seen beyond those only. */
const WINDOWED: ReadonlySet<string> = new Set(["answers as they come"]);

/** All of the hard texts in the long run; else a quarter, another one for each reader. */
function textsFor(reader: number): [string, (size: number) => string][] {
  const every = timesOr(1, 4);
  const first = Math.floor(random(reader)() * every);
  return Object.entries(HARD_TEXTS).filter((_, index) => index % every === first);
}

describe.each(Object.entries(READERS).map(([name, read], at) => ({ name, read, at })))(
  "$name",
  ({ name, read, at }) => {
    test("take time that grows with their text alone, whatever it says", () => {
      const sizes = WINDOWED.has(name) ? { smallest: 16_384, largest: 131_072 } : {};
      const failures = textsFor(at).flatMap(([hard, input]) => {
        const growth = growthOf({ input, work: tolerant(read), ...sizes });
        return growth === undefined ? [] : [`${hard}: ${growth}`];
      });
      expect(failures).toEqual([]);
    });
  },
);
