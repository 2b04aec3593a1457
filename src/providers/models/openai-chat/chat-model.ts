import type { BlobRef, ImagePart } from "../../../core/content.ts";
import type { ModelMessage } from "../../../core/conversation.ts";
import { HostError } from "../../../core/errors.ts";
import type { Model, ModelRequest } from "../../../core/model.ts";
import { streamCall } from "../call.ts";
import { findKey } from "../credentials.ts";
import { jsonPost } from "../json-post.ts";
import { type ModelServices, type ModelSettings, speakerOf } from "../settings.ts";
import { imagesIn, toChatMessages } from "./messages.ts";
import { ChatReply } from "./reply.ts";
import { chatBody } from "./request.ts";

/** A model that speaks the chat completions dialect. */
export function chatModel(settings: ModelSettings, services: ModelServices): Model {
  const { endpoint, provider, name, contextLength, vision, key } = settings;
  const { transport, env, newId } = services;
  const post = jsonPost({ endpoint, transport, credential: async () => findKey(key, env) });
  const messageTexts = messageEncoder(settings);
  return {
    provider,
    name,
    contextLength,
    vision,
    async *stream(request) {
      const speaker = speakerOf(settings, findKey(key, env));
      const body = chatBody(request, await messageTexts(request), settings);
      const call = {
        send: (signal: AbortSignal) => post("/chat/completions", body, signal),
        reply: new ChatReply(speaker, { newId }),
        streamed: settings.stream,
        speaker,
        signal: request.signal,
      };
      yield* streamCall(call, services);
    },
  };
}

/**
 * Encodes the messages of requests, each message object once: a conversation grows at its end. Messages with images
 * are encoded each time, so that no session holds pictures in memory.
 */
function messageEncoder({
  name,
  vision,
}: ModelSettings): (request: ModelRequest) => Promise<readonly string[]> {
  const known = new WeakMap<ModelMessage, string>();
  return async (request) => {
    const texts: string[] = [];
    for (const message of request.messages)
      texts.push(known.get(message) ?? (await encodeNew(message, request)));
    return texts;
  };

  async function encodeNew(message: ModelMessage, request: ModelRequest): Promise<string> {
    const images = vision ? imagesIn(message) : [];
    if (images.length > 0) return encode(message, await loadAll(images, (blob) => request.loadBlob(blob)));
    const text = encode(message, blind);
    known.set(message, text);
    return text;
  }

  function encode(message: ModelMessage, image: (part: ImagePart) => Shown): string {
    return toChatMessages(message, { model: name, image })
      .map((encoded) => JSON.stringify(encoded))
      .join(",");
  }

  function blind({ name: title, mediaType, blob }: ImagePart): Shown {
    const what = title === undefined ? mediaType : `${title}, ${mediaType}`;
    return { note: `[An image (${what}, ${blob.size} bytes) is not shown: ${name} cannot look at images.]` };
  }
}

type Shown = { readonly url: string } | { readonly note: string };

async function loadAll(
  images: readonly ImagePart[],
  loadBlob: (blob: BlobRef) => Promise<Uint8Array>,
): Promise<(image: ImagePart) => Shown> {
  const shown = new Map<string, Shown>();
  for (const { blob, mediaType } of images) {
    if (!shown.has(blob.hash)) shown.set(blob.hash, await load(mediaType, () => loadBlob(blob)));
  }
  return ({ blob }) => shown.get(blob.hash) ?? GONE;
}

const GONE: Shown = { note: "[An image was here; it is no longer stored.]" };

async function load(mediaType: string, read: () => Promise<Uint8Array>): Promise<Shown> {
  try {
    return { url: `data:${mediaType};base64,${Buffer.from(await read()).toString("base64")}` };
  } catch (thrown) {
    // A picture that is lost must not end the conversation about it.
    if (thrown instanceof HostError && thrown.code === "blob_not_found") return GONE;
    throw thrown;
  }
}
