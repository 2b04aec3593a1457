import { isJsonObject } from "../../shared/json/json.ts";
import { ruleWords } from "../../shared/text/rule-words.ts";
import type { Client } from "../client.ts";
import type { ListItem } from "./overlay.ts";

const MODES: readonly (readonly [mode: string, about: string])[] = [
  ["ask", "asks before it changes anything or runs a command"],
  ["edits", "changes files in its folder without asking"],
  ["plan", "only reads, and ends with a plan to accept"],
  ["all", "runs everything without asking"],
];

type Run = (command: string) => Promise<void>;

/** What runs without asking: the session's mode, and the rules, to add and to remove. Comes back after each change. */
export async function openApprovals(client: Client, run: Run): Promise<void> {
  const [{ allowed, denied }, own] = await Promise.all([keptRules(client), sessionRules(client)]);
  const now = client.store.state.view.session?.info.mode;
  const chosen = await client.dialogs.pick({
    title: "What runs without asking",
    items: [
      ...MODES.map(([mode, about]) => ({
        id: `mode ${mode}`,
        label: `Mode: ${mode}`,
        detail: about,
        current: mode === now,
      })),
      ...allowed.map((rule) => ruleItem("Allowed", rule)),
      ...denied.map((rule) => ruleItem("Denied", rule)),
      ...own.filter((rule) => !allowed.includes(rule)).map((rule) => ruleItem(HERE, rule)),
      { id: "allow", label: "Add a rule that allows…", detail: "such as npm test * or edit:/path/**" },
      { id: "deny", label: "Add a rule that denies…", detail: "such as git push *" },
    ],
    keys: "Enter chooses a mode, adds, or removes a rule · Esc closes",
  });
  if (chosen === undefined) return;
  if (await changed(client, chosen, run)) await openApprovals(client, run);
}

/** Carries out what was chosen; whether there is more to do here. */
async function changed(client: Client, chosen: string, run: Run): Promise<boolean> {
  const [kind = "", ...words] = chosen.split(" ");
  const rest = words.join(" ");
  switch (kind) {
    case "mode":
      await run(`/approval-mode ${rest}`);
      return false;
    case "allow":
    case "deny": {
      const title = kind === "allow" ? "A rule that allows" : "A rule that denies";
      const label = "A command, or a rule as docs/approvals.md has them; it counts in every session";
      const rule = (await client.dialogs.field({ title, label }))?.trim() ?? "";
      if (rule !== "") await run(`/approvals ${kind} ${rule}`);
      return rule !== "";
    }
    default: {
      const answer = await client.dialogs.pick({
        title: `Remove the rule ${rest}?`,
        items: [
          { id: "no", label: "No, keep it", detail: "" },
          {
            id: "yes",
            label: "Yes, remove it",
            detail: kind === "own" ? "from now on" : "from now on, in every session",
          },
        ],
      });
      if (answer === "yes") await run(`/approvals remove ${rest}`);
      return answer !== undefined;
    }
  }
}

/** Rules of this session alone are called so. */
const HERE = "Allowed in this session";

const ruleItem = (kind: string, rule: string): ListItem => ({
  id: `${kind === HERE ? "own" : "rule"} ${rule}`,
  label: `${kind}: ${rule}`,
  detail: ruleWords(rule),
});

/** Rules of this session alone. */
async function sessionRules({ controller }: Client): Promise<readonly string[]> {
  const { sessionId: session_id } = controller;
  if (session_id === undefined) return [];
  return (await controller.request("session.status", { session_id })).state.allowed;
}

async function keptRules({ controller }: Client): Promise<Record<"allowed" | "denied", readonly string[]>> {
  const { config } = await controller.request("config.get", { key: "full" });
  const { approvals } = config ?? {};
  const listed = (name: string): readonly string[] => {
    const rules = isJsonObject(approvals) ? approvals[name] : undefined;
    return Array.isArray(rules) ? rules.filter((rule) => typeof rule === "string") : [];
  };
  return { allowed: listed("allowed"), denied: listed("denied") };
}
