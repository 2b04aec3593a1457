import { HostError } from "../core/index.ts";

/**
 * What a scheduled prompt must not say: nobody watches when it runs. Each pattern looks at a bounded stretch of text,
 * so that no text takes long.
 */
const THREATS: readonly (readonly [id: string, pattern: RegExp])[] = [
  [
    "prompt_injection",
    /ignore\s{1,9}(?:\w{1,20}\s{1,9}){0,3}(?:previous|above|prior|all)\s{1,9}(?:\w{1,20}\s{1,9}){0,2}instructions/i,
  ],
  ["deception_hide", /do\s{1,9}not\s{1,9}(?:tell|inform|let)\s{1,9}the\s{1,9}user/i],
  ["sys_prompt_override", /system\s{1,9}prompt\s{1,9}override/i],
  ["disregard_rules", /disregard\s{1,9}(?:\w{1,20}\s{1,9}){0,3}(?:instructions|rules|guidelines)/i],
  [
    "read_secrets",
    /\b(?:cat|less|more|head|tail|grep)\s[^\n]{0,200}(?:\.env\b|credentials\b|\.netrc\b|\.pgpass\b|id_rsa\b)/i,
  ],
  ["ssh_backdoor", /authorized_keys/i],
  ["sudoers_mod", /\/etc\/sudoers|\bvisudo\b/i],
  ["destructive_root_rm", /\brm\s{1,9}(?:-\w{1,9}\s{1,9}){1,4}\/(?:\s|\*|$)/i],
  [
    "exfil_curl_url",
    /\bcurl\b[^\n]{0,200}https?:[^\s]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "exfil_wget_url",
    /\bwget\b[^\n]{0,200}https?:[^\s]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "exfil_curl_data",
    /\bcurl\b[^\n]{0,200}(?:-d|--data\S{0,20}|-F|--form)\s[^\n]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "exfil_wget_post",
    /\bwget\b[^\n]{0,200}--post-(?:data|file)[^\n]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "exfil_curl_auth_header",
    /\bcurl\b[^\n]{0,200}(?:-H|--header)\s[^\n]{0,200}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  ],
  [
    "service_control",
    /\b(?:restart|stop|kill|shut\s?down)\s{1,9}(?:the\s{1,9})?agent\s{1,9}(?:gateway|service|server)\b|\bagent\s{1,9}gateway\s{1,9}(?:restart|stop)\b/i,
  ],
];

const INVISIBLE = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;
const JOINER = "\u200d";
const PICTURE = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;

/** @throws HostError `invalid_params` for a prompt that says what a scheduled one must not say, naming the pattern */
export function scanPrompt(prompt: string): void {
  for (const { 0: found, index } of prompt.matchAll(INVISIBLE)) {
    if (found === JOINER && isPicture(before(prompt, index)) && isPicture(prompt.codePointAt(index + 1)))
      continue;
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    throw blocked(`prompt contains invisible unicode U+${code} at character ${index + 1}. Remove it.`);
  }
  for (const [id, pattern] of THREATS) {
    if (!pattern.test(prompt)) continue;
    throw blocked(
      `prompt matches threat pattern '${id}'. A job runs unwatched: say it in other words, or leave it out.`,
    );
  }
}

const isPicture = (code: number | undefined): boolean =>
  code !== undefined && PICTURE.test(String.fromCodePoint(code));

/** The character that ends before an index. */
function before(text: string, index: number): number | undefined {
  const last = text.codePointAt(index - 1);
  const half = last !== undefined && last >= 0xdc00 && last <= 0xdfff;
  return half ? text.codePointAt(index - 2) : last;
}

const blocked = (why: string): HostError =>
  new HostError("invalid_params", `Blocked: ${why}`, { details: { subject: "prompt" } });
