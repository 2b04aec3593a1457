import {
  GIVEN_SURFACE,
  readTranscript,
  type Session,
  textPart,
  type TranscriptEntry,
  type UserPart,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { displaySettings } from "../gateway/display.ts";
import { seqAt } from "../gateway/event-numbers.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { OpenSession } from "../gateway/open-sessions.ts";
import type { Params } from "../protocol/methods.ts";
import type { ContentPart, PROMPT_METHODS } from "../protocol/prompts.ts";
import type { HandlerContext, HandlersOf } from "./handler.ts";
import { imageInUrl } from "./attachments/images.ts";
import { mentionedParts } from "./attachments/mentions.ts";
import { expandPastes } from "./attachments/pastes.ts";
import { PROMPT_STATUS, takenBefore } from "./taken-before.ts";

type Submit = Params<"prompt.submit">;

export const PROMPT_HANDLERS: HandlersOf<typeof PROMPT_METHODS> = {
  async "prompt.submit"(params, context) {
    const { gateway, connection, afterResponse } = context;
    const opened = await gateway.open(params.session_id);
    const { session } = opened;
    const typed = await typedParts(params.text, context);
    const known = await takenBefore(gateway, session, { ref: params.submission_ref, typed });
    if (known !== undefined) {
      if (!connection.follows(session.id)) afterResponse(connection.join(opened, known.seq));
      return known;
    }
    await cutBefore(gateway, session, params);
    const parts = await promptParts(typed, { opened, context });
    const mode = params.mode ?? displaySettings(gateway.ports.config.values()).busyMode;
    const { attended, origin: from } = connection;
    const turn = session.submit({ parts, mode, from, ...defined({ id: params.submission_ref, attended }) });
    opened.attachments = [];
    opened.outputs = [];
    const { status, after, position } = await turn.accepted;
    const restore = opened.afterTurn;
    if (restore !== undefined) {
      delete opened.afterTurn;
      void turn.result.then(restore, restore).catch((thrown: unknown) => gateway.report(thrown));
    }
    if (!connection.follows(session.id)) afterResponse(connection.join(opened, seqAt(after)));
    return { status: PROMPT_STATUS[status], prompt_id: turn.promptId, position, seq: seqAt(after) };
  },

  async "prompt.background"({ session_id, text }, { gateway, connection }) {
    return { task_id: await gateway.host.background(session_id, text, connection.origin) };
  },

  async "prompt.btw"({ session_id, text }, { gateway, connection }) {
    return { task_id: await gateway.host.background(session_id, text, connection.origin) };
  },

  async "prompt.drop"({ session_id, prompt_ids }, { gateway }) {
    const session = await gateway.session(session_id);
    return { dropped: [...(await session.drop(prompt_ids))] };
  },

  async "prompt.confirm"({ session_id, prompt_ids }, { gateway }) {
    const session = await gateway.session(session_id);
    const { queue } = await session.refresh();
    const held = queue.filter((entry) => entry.held).map(({ prompt }) => prompt.id);
    const wanted = prompt_ids === undefined ? held : held.filter((id) => prompt_ids.includes(id));
    if (wanted.length > 0) await session.confirm(wanted);
    return { confirmed: wanted.length };
  },

  async "session.steer"({ session_id, text }, { gateway, connection }) {
    const session = await gateway.session(session_id);
    const steered = await session.steer(text, connection.origin);
    return { status: steered ? "queued" : "rejected", text };
  },

  async "session.redirect"({ session_id, text }, { gateway, connection }) {
    const session = await gateway.session(session_id);
    if ((await session.refresh()).turn === undefined) return { status: "rejected", text };
    await session.submit({ text, mode: "interrupt", from: connection.origin }).accepted;
    return { status: "redirected", text };
  },

  async "session.interrupt"({ session_id, keep_queue }, { gateway, connection }) {
    const session = await gateway.session(session_id);
    const { origin: from, attended } = connection;
    const options = { from, attended, keepQueue: keep_queue };
    const { interrupted, dropped } = await session.interrupt(options);
    return { status: "interrupted", interrupted, dropped: [...dropped] };
  },

  async "terminal.resize"({ session_id, cols }, { gateway, connection }) {
    await gateway.session(session_id);
    connection.resize(session_id, cols);
    return { cols };
  },
};

/** The parts that were typed, pastes put back in their places. */
async function typedParts(text: Submit["text"], context: HandlerContext): Promise<readonly UserPart[]> {
  if (typeof text !== "string") return await givenParts(text, context);
  return [textPart(await expandPastes(withoutMarkers(text), context.gateway.ports.archive))];
}

/** The parts of a prompt: what was typed, and what is attached. */
async function promptParts(
  typed: readonly UserPart[],
  { opened, context }: { readonly opened: OpenSession; readonly context: HandlerContext },
): Promise<readonly UserPart[]> {
  const images = opened.attachments.map(({ blob, mediaType, name }): UserPart => ({
    type: "image",
    blob,
    mediaType,
    name,
  }));
  const words = typed.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const mentioned = await mentionedParts(words, {
    cwd: opened.session.state.cwd || context.gateway.newSessionCwd(),
    files: context.gateway.ports.files,
    store: context.gateway.host.services.store,
  });
  return [...opened.outputs.map(outputPart), ...typed, ...mentioned, ...images];
}

const outputPart = ({ command, text }: OpenSession["outputs"][number]): UserPart => ({
  type: "resource",
  uri: `! ${command.replaceAll(/["<>\s]+/g, " ").slice(0, COMMAND_CHARACTERS)}`,
  text,
  aside: "output",
});

const COMMAND_CHARACTERS = 200;

async function givenParts(
  parts: readonly ContentPart[],
  { gateway }: HandlerContext,
): Promise<readonly UserPart[]> {
  const { store } = gateway.host.services;
  const given: UserPart[] = [];
  for (const part of parts) {
    if (part.type === "text" || part.type === "input_text") {
      given.push(textPart(withoutMarkers(part.text)));
      continue;
    }
    const url = part.type === "input_image" ? part.image_url : part.image_url.url;
    const image = imageInUrl(url);
    if (image === undefined) {
      const message = "Images in a prompt must be data: URLs; attach others with image.attach.";
      throw new HostError("unsupported_content_type", message);
    }
    given.push({ type: "image", blob: await store.putBlob(image.bytes), mediaType: image.mediaType });
  }
  return given;
}

const PAGE = 1000;

/**
 * Takes back the turns from a user's message on: editing a message and sending it again.
 *
 * @throws HostError `nothing_to_undo` when there is no such message, `session_busy`
 */
async function cutBefore(gateway: GatewayContext, session: Session, params: Submit): Promise<void> {
  const { truncate_before_user_ordinal: ordinal, truncate_before_row_id: rowId } = params;
  if (ordinal === undefined && rowId === undefined) return;
  const rows = await userRows(gateway, session);
  const first = rowId === undefined ? (ordinal ?? -1) : rows.findIndex((row) => row >= rowId);
  if (first < 0 || first >= rows.length) {
    throw new HostError(
      "nothing_to_undo",
      `The session has ${rows.length} messages of the user; there is none to cut before at ${rowId ?? ordinal ?? 0}.`,
    );
  }
  await session.undo(rows.length - first);
}

/** The cursors after the user's messages that still count, oldest first. */
async function userRows({ host }: GatewayContext, { id, state }: Session): Promise<readonly number[]> {
  const rows: number[] = [];
  for (let before: number | undefined = state.seq + 1; before !== undefined;) {
    const page = await readTranscript(host.services.store, { id, state }, { before, limit: PAGE });
    rows.unshift(...page.entries.flatMap((entry) => (isOwnPrompt(entry) ? [entry.seq] : [])));
    before = page.before;
  }
  return rows;
}

/** Messages that came with the session were said elsewhere and cannot be taken back turn by turn. */
const isOwnPrompt = (entry: TranscriptEntry): boolean =>
  entry.role === "user" && entry.prompt.from.surface !== GIVEN_SURFACE;

// A terminal that was cut off in the middle of a paste leaves its marks in the text.
// oxlint-disable-next-line no-control-regex -- the marks begin with a control character
const PASTE_MARKS = /\u001B?\[20[01]~/g;

const withoutMarkers = (text: string): string => text.replaceAll(PASTE_MARKS, "");
