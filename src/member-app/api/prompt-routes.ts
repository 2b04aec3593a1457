import { createHash } from "node:crypto";
import { z } from "zod";
import { type Store, textPart, type UserPart } from "../../core/index.ts";
import { decodeDataUrl } from "../../shared/content/data-url.ts";
import { imageTypeOf } from "../../shared/content/image-header.ts";
import { bodyOf } from "../../http/server/checked-body.ts";
import { badRequest, HttpError } from "../../http/server/http-error.ts";
import { memberRoute, type MemberRoute } from "./member-api.ts";

const MOST_IMAGES = 6;
const PROMPT_LIMIT = {
  maxBodyBytes: 12 * 1024 * 1024,
  tooLarge: "The pictures are too large together: send fewer of them, or smaller ones.",
};
const LONGEST_TEXT = 100_000;

const PromptBody = z
  .object({
    id: z
      .string()
      .regex(/^[\w-]{8,100}$/)
      .describe("The device's own id: sent again, it is the same prompt"),
    member: z
      .string()
      .max(100)
      .exactOptional()
      .describe("Who wrote it: refused where somebody else is signed in by now"),
    conversation_id: z.string().max(256).exactOptional(),
    text: z.string().max(LONGEST_TEXT),
    images: z.array(z.string()).max(MOST_IMAGES).exactOptional().describe("data: URLs"),
  })
  .meta({ title: "MemberPrompt" });

const Taken = z.object({ conversation_id: z.string(), prompt_id: z.string() }).meta({ title: "TakenPrompt" });

/** Declares the route that prompts come by. */
export const PROMPT_ROUTES: readonly MemberRoute[] = [
  memberRoute(
    "POST /app/api/prompts",
    async ({ c, api, own, member }) => {
      const body = await bodyOf(c, PromptBody, PROMPT_LIMIT);
      const { id: clientId, conversation_id: conversationId, text, images = [] } = body;
      if (body.member !== undefined && body.member !== member.id)
        throw new HttpError(409, "Somebody else is signed in on this device.", { code: "another_member" });
      if (text.trim() === "" && images.length === 0)
        throw badRequest("'text': there is nothing in it.", "text");
      const pictures = images.map((url, at) => pictureIn(url, at));
      const { conversationId: conversation_id, promptId: prompt_id } = await api.prompts.send({
        user: member.id,
        own,
        clientId,
        conversationId,
        parts: () => partsOf(text, pictures, api.services.store),
        fingerprint: createHash("sha256")
          .update(JSON.stringify([conversationId, text, images]))
          .digest("hex"),
      });
      return c.json({ conversation_id, prompt_id }, 202);
    },
    { id: "sendPrompt", summary: "Send a prompt, once", body: PromptBody, answer: Taken, status: 202 },
  ),
];

interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

function pictureIn(url: string, at: number): Picture {
  const bytes = decodeDataUrl(url)?.bytes;
  // By its bytes: what a device says of them is not asked.
  const mediaType = bytes === undefined ? undefined : imageTypeOf(bytes);
  if (bytes !== undefined && mediaType !== undefined) return { bytes, mediaType };
  throw badRequest("This is no picture: PNG, JPEG, GIF and WebP are taken.", `images[${at}]`);
}

async function partsOf(
  text: string,
  pictures: readonly Picture[],
  store: Pick<Store, "putBlob">,
): Promise<readonly UserPart[]> {
  const images = pictures.map(async ({ bytes, mediaType }) => ({
    type: "image" as const,
    blob: await store.putBlob(bytes),
    mediaType,
  }));
  return [...(text.trim() === "" ? [] : [textPart(text)]), ...(await Promise.all(images))];
}
