import { z } from "zod";
import type { Policy } from "../../core/index.ts";
import { CHAT_NAMES } from "../../chat/names.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { later } from "../../shared/memo/later.ts";
import { type ConfigSource, invalidSetting, key, platformBlock } from "./block.ts";
import { isToolsetName, TOOLSET_LIST } from "./toolset-names.ts";

/** Ids that YAML reads as numbers are ids all the same. */
const id = () => z.union([z.string().min(1), z.int().transform(String)]);
const ids = () => z.array(id());
const toolset = () =>
  z.string().refine(isToolsetName, { error: `There is no such toolset. There are ${TOOLSET_LIST}` });

/** Choices of the owner for one chat of a platform. */
export const chatChoiceWire = later(() => z.looseObject({ persona: z.string().optional() }));

/** The block `extra` of a chat platform; each platform may have keys of its own beside these. */
export const chatExtraWire = later(() =>
  z.looseObject({
    receive: key(z.boolean(), "People can write to the agent there; otherwise texts only go out.", true),
    mode: key(z.enum(["connection", "webhook"]), "How messages come; that of the platform by default."),
    allow: key(
      ids(),
      "Who may talk to the agent: user:<id>, channel:<id>, roster for linked users, or * for everybody.",
      [],
    ),
    approvers: key(ids(), "Ids of the people who may approve from there.", []),
    approvals: key(id(), "Id of a chat there in which the approvals of all conversations are shown."),
    toolsets: key(z.array(toolset()), "Toolsets of its sessions."),
    persona: key(z.string(), "Persona of its sessions."),
    channels: key(
      z.record(z.string(), chatChoiceWire()),
      "By id of a chat there: `persona` is that of its sessions.",
    ),
    workspace: key(
      z.string().startsWith("/"),
      "Folder in which its sessions work, when they have tools for files.",
    ),
    webhook_url: key(
      z.url({ protocol: /^https$/ }),
      "Public address of /webhooks/<platform>, for mode: webhook.",
    ),
  }),
);

/** The block `extra` of a chat platform, as it was read. */
export type ChatExtra = z.output<ReturnType<typeof chatExtraWire>>;

/**
 * Reads the block `extra` of a chat platform, under its own name or the interface's.
 *
 * @throws HostError `config_invalid`, naming the key
 */
export function chatExtra(source: Pick<ConfigSource, "config">, name: keyof typeof CHAT_NAMES): ChatExtra {
  const { [name]: kind } = CHAT_NAMES;
  for (const block of [name, kind]) {
    const { extra } = platformBlock(source, block);
    if (!isJsonObject(extra)) continue;
    const read = chatExtraWire().safeParse(extra);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw invalidSetting(
      `platforms.${block}.extra.${issue?.path.join(".") ?? ""}`,
      `is not valid: ${issue?.message ?? ""}`,
    );
  }
  return {};
}

/** The part of the policy that the blocks of chat platforms say. @throws HostError `config_invalid` */
export function chatPolicy(
  source: Pick<ConfigSource, "config">,
): Pick<Policy, "chatToolsets" | "chatApprovers"> {
  const names = Object.keys(CHAT_NAMES) as (keyof typeof CHAT_NAMES)[];
  const extras = names.map((name) => [name, chatExtra(source, name)] as const);
  return {
    chatToolsets: defined(Object.fromEntries(extras.map(([name, { toolsets }]) => [name, toolsets]))),
    chatApprovers: extras.flatMap(([name, { approvers = [] }]) => approvers.map((id) => `${name}:${id}`)),
  };
}
