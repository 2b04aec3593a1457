import { scopeWords } from "../../shared/text/rule-words.ts";
import type { AlwaysScope, ApprovalRequest } from "../../core/index.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";

type Choice = ApprovalRequest["choices"][number];

/**
 * The answer of a person to a permission request. `cancelled`: the turn must stop; `undefined`: nothing that could be
 * taken for a yes.
 */
export type PermissionAnswer = { readonly choice: Choice; readonly scope?: string } | "cancelled" | undefined;

/** An option of a permission request, as the protocol writes it. */
export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
}

/** Reads a client's answer. An option that was never offered is no permission. */
export function permissionAnswer(answer: unknown, request: ApprovalRequest): PermissionAnswer {
  const outcome = isJsonObject(answer) ? answer["outcome"] : undefined;
  if (!isJsonObject(outcome)) return undefined;
  if (outcome["outcome"] === "cancelled") return "cancelled";
  if (outcome["outcome"] !== "selected") return undefined;
  const scope = folderScope(request);
  if (scope !== undefined && outcome["optionId"] === IN_FOLDER) return { choice: "always", scope: scope.id };
  const choice = request.choices.find((each) => each === outcome["optionId"]);
  return choice && { choice };
}

const IN_FOLDER = "always_in_folder";

/** What may be allowed for ever in this folder alone: all that "always" would allow everywhere. */
const folderScope = ({ scopes = [] }: ApprovalRequest): AlwaysScope | undefined =>
  scopes.findLast(({ folder }) => folder !== undefined);

/** Lists the answers that a person can give to a permission request. */
export function permissionOptions(
  request: ApprovalRequest,
  { optionsOfOneKind }: ClientCapabilities,
): PermissionOption[] {
  const { choices, patterns, command } = request;
  const scope = scopeOf(patterns, command);
  const options: Readonly<Record<Choice, Omit<PermissionOption, "optionId">>> = {
    once: { name: "Allow once", kind: "allow_once" },
    session: { name: `Always allow ${scope} in this session`, kind: "allow_always" },
    always: { name: `Always allow ${scope}, in every session`, kind: "allow_always" },
    deny: { name: "Reject", kind: "reject_once" },
  };
  // Some clients key options by their kind: of two that are alike they would show one.
  const offered = choices
    .filter((choice) => choice !== "always" || optionsOfOneKind || !choices.includes("session"))
    .map((choice) => ({ optionId: choice, ...options[choice] }) satisfies PermissionOption);
  const { folder } = folderScope(request) ?? {};
  if (folder === undefined || !optionsOfOneKind) return offered;
  const name = `Always allow ${scope} in ${visibleInLine(folder)} and below`;
  const here = { optionId: IN_FOLDER, name, kind: "allow_always" } as const;
  return offered.flatMap((option) => (option.optionId === "always" ? [here, option] : [option]));
}

const LONGEST_SCOPE = 60;

/** What an answer for longer covers, for the name of an option: the patterns, or how many the question lists. */
function scopeOf(patterns: readonly string[], command: string): string {
  if (!isShortScope(patterns)) return `what the question lists (${patterns.length})`;
  return visibleInLine(scopeWords(patterns, command));
}

/** Whether patterns have room in the name of an option. */
export const isShortScope = (patterns: readonly string[]): boolean =>
  patterns.reduce((sum, { length }) => sum + length + 4, 0) <= LONGEST_SCOPE;
