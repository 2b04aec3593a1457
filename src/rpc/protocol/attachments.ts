import { z } from "zod";
import { method, sessionMethod } from "./method.ts";

const session_id = z.string();

const image = {
  path: z.string(),
  count: z.number(),
  name: z.string(),
  width: z.number().optional(),
  height: z.number().optional(),
  token_estimate: z.number().optional(),
};

const codes = {
  unsupported_content_type: 4016,
  limit_exceeded: 4018,
  tool_failed: 5027,
  internal: 5027,
} as const;

/** The methods for what goes along with the next prompt. */
export const ATTACHMENT_METHODS = {
  "clipboard.paste": sessionMethod({
    inOrder: true,
    summary: "Attaches the image in the clipboard of the host's machine.",
    params: z.object({ session_id }),
    result: z.discriminatedUnion("attached", [
      z.object({ attached: z.literal(true), ...image }),
      z.object({ attached: z.literal(false), message: z.string() }),
    ]),
    codes,
  }),
  "image.attach": sessionMethod({
    inOrder: true,
    summary: "Attaches an image of the host's machine; text after the path comes back in `remainder`.",
    params: z.object({ session_id, path: z.string().trim().min(1) }),
    result: z.object({ attached: z.literal(true), ...image, remainder: z.string(), text: z.string() }),
    codes: { ...codes, not_found: 4016 },
    wrong: { path: 4015 },
  }),
  "image.attach_bytes": sessionMethod({
    inOrder: true,
    summary: "Attaches an image that the client sends, at most 25 MB.",
    params: z.object({
      session_id,
      content_base64: z.string().optional(),
      data: z.string().optional(),
      filename: z.string().optional(),
      ext: z.string().optional(),
    }),
    result: z.object({ attached: z.literal(true), ...image, bytes: z.number(), text: z.string() }),
    codes: { ...codes, invalid_params: 4017 },
  }),
  "image.detach": sessionMethod({
    inOrder: true,
    summary: "Takes an attached image back.",
    params: z.object({ session_id, path: z.string().min(1) }),
    result: z.object({ detached: z.boolean(), count: z.number() }),
    wrong: { path: 4015 },
  }),
  "input.detect_drop": sessionMethod({
    inOrder: true,
    summary: "Recognises a file that was dropped on the composer; an image is attached at once.",
    params: z.object({ session_id, text: z.string() }),
    result: z.discriminatedUnion("matched", [
      z.object({ matched: z.literal(false) }),
      z.object({
        matched: z.literal(true),
        is_image: z.boolean(),
        path: z.string(),
        text: z.string(),
        name: z.string().optional(),
        count: z.number().optional(),
        width: z.number().optional(),
        height: z.number().optional(),
        token_estimate: z.number().optional(),
      }),
    ]),
    codes,
  }),
  "paste.collapse": method({
    summary: "Keeps a long paste in a file; the placeholder stands for it in a prompt.",
    params: z.object({ text: z.string().min(1) }),
    result: z.object({ placeholder: z.string(), path: z.string(), lines: z.number() }),
    wrong: { text: 4004 },
  }),
} as const;
