/**
 * `override` gives the model other orders, `theft` carries secrets out, `secrets` goes near them, `harm` damages the
 * machine or the service.
 */
export type ThreatKind = "override" | "theft" | "secrets" | "harm";

/**
 * The threats that text which nobody watches must not carry. Each pattern looks at a bounded stretch of text, so that no text takes
 * long.
 */
const THREATS: readonly (readonly [kind: ThreatKind, id: string, pattern: RegExp])[] = [
  [
    "override",
    "prompt_injection",
    /ignore\s{1,9}(?:\w{1,20}\s{1,9}){0,3}(?:previous|above|prior|all)\s{1,9}(?:\w{1,20}\s{1,9}){0,2}instructions/i,
  ],
  ["override", "deception_hide", /do\s{1,9}not\s{1,9}(?:tell|inform|let)\s{1,9}the\s{1,9}user/i],
  ["override", "sys_prompt_override", /system\s{1,9}prompt\s{1,9}override/i],
  [
    "override",
    "disregard_rules",
    /disregard\s{1,9}(?:\w{1,20}\s{1,9}){0,3}(?:instructions|rules|guidelines)/i,
  ],
  [
    "secrets",
    "read_secrets",
    /\b(?:cat|less|more|head|tail|grep)\s[^\n]{0,200}(?:\.env\b|credentials\b|\.netrc\b|\.pgpass\b|id_rsa\b)/i,
  ],
  ["secrets", "ssh_backdoor", /authorized_keys/i],
  ["harm", "sudoers_mod", /\/etc\/sudoers|\bvisudo\b/i],
  ["harm", "destructive_root_rm", /\brm\s{1,9}(?:-\w{1,9}\s{1,9}){1,4}\/(?:\s|\*|$)/i],
  [
    "theft",
    "exfil_curl_url",
    /\bcurl\b[^\n]{0,200}https?:[^\s]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "theft",
    "exfil_wget_url",
    /\bwget\b[^\n]{0,200}https?:[^\s]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "theft",
    "exfil_curl_data",
    /\bcurl\b[^\n]{0,200}(?:-d|--data\S{0,20}|-F|--form)\s[^\n]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "theft",
    "exfil_wget_post",
    /\bwget\b[^\n]{0,200}--post-(?:data|file)[^\n]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "theft",
    "exfil_curl_auth_header",
    /\bcurl\b[^\n]{0,200}(?:-H|--header)\s[^\n]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "harm",
    "service_control",
    /\b(?:restart|stop|kill|shut\s?down)\s{1,9}(?:the\s{1,9})?agent\s{1,9}(?:gateway|service|server)\b|\bagent\s{1,9}gateway\s{1,9}(?:restart|stop)\b/i,
  ],
];

/** The id of the first pattern that a text matches; those of all kinds are looked for by default. */
export function findThreat(text: string, kinds?: readonly ThreatKind[]): string | undefined {
  return THREATS.find(([kind, , pattern]) => kinds?.includes(kind) !== false && pattern.test(text))?.[1];
}

/**
 * Characters that people do not see and models read: joiners, directions, tags, fillers. What chooses between two looks
 * of the character before it is none of them.
 */
const invisible = (): RegExp =>
  /[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]|[\u{e0100}-\u{e01ef}]/gv;
const JOINERS = "\u200c\u200d";
/** Whether a character is part of one picture, or a letter of a script in which a joiner changes how a word is written. */
const canBeJoined = (character: string): boolean =>
  /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]]]$/v.test(
    character,
  );

/** The first invisible character that has no business where it is: its code, and where it is. */
export function findInvisible(text: string): { readonly code: string; readonly index: number } | undefined {
  for (const { 0: found, index } of text.matchAll(invisible())) {
    if (isJoint(text, found, index)) continue;
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return { code: `U+${code}`, index };
  }
  return undefined;
}

/** Takes the invisible characters out that have no business where they are; joiners stay within pictures and words. */
export const withoutInvisible = (text: string): string =>
  text.replaceAll(invisible(), (found, index: number) => (isJoint(text, found, index) ? found : ""));

/**
 * Makes text of unknown origin harmless to stand in a prompt: without invisible characters, without what would give
 * the model other orders or carry secrets out, and without marks that would end the frame around it.
 */
export function sanitizeForPrompt(text: string): string {
  let safe = withoutInvisible(text.toWellFormed());
  // Leaving one out may make the next one visible.
  for (let id = findThreat(safe, ORDERS); id !== undefined; id = findThreat(safe, ORDERS)) {
    for (const [kind, name, pattern] of THREATS)
      if (ORDERS.includes(kind)) safe = safe.replaceAll(new RegExp(pattern, "gi"), `[left out: ${name}]`);
  }
  return safe.replaceAll(FRAME, (mark) => mark.replaceAll("<", "‹").replaceAll(">", "›"));
}

/** The kinds that matter in text that is only read. */
const ORDERS: readonly ThreatKind[] = ["override", "theft"];

/** Tags of our own frames and of chat templates. */
const FRAME =
  /<\/?(?:memory|skills?|project_file|instructions|system|assistant|user|tool|human)\b|<\|[\w ]{1,40}\|>|\[\/?INST\]|<<\/?SYS>>/gi;

function isJoint(text: string, found: string, index: number): boolean {
  return JOINERS.includes(found) && isJoined(before(text, index)) && isJoined(text.codePointAt(index + 1));
}

const isJoined = (code: number | undefined): boolean =>
  code !== undefined && canBeJoined(String.fromCodePoint(code));

/** The character that ends before an index. */
function before(text: string, index: number): number | undefined {
  const last = text.codePointAt(index - 1);
  const half = last !== undefined && last >= 0xdc00 && last <= 0xdfff;
  return half ? text.codePointAt(index - 2) : last;
}
