import type { Client } from "../client.ts";
import { detailsText } from "../state/details.ts";

/** Nothing that the folder configures runs: no pager, no program that shows differences, no watcher. */
const GIT = "git --no-pager --no-optional-locks -c core.fsmonitor=false -c core.quotePath=false";
const DIFF = `${GIT} diff --no-color --no-ext-diff --no-textconv`;
/** Files that git does not know are shown whole, so many of them. */
const NEW_FILES = 50;

const STATUS = `${GIT} status --short`;
/** What differs from the last commit, or from nothing when there is none yet; new files too. */
const CHANGES = [
  `${DIFF} "$(git rev-parse -q --verify HEAD || git hash-object -t tree /dev/null)"`,
  `${GIT} ls-files --others --exclude-standard | head -n ${NEW_FILES} | while IFS= read -r file; do ${DIFF} --no-index -- /dev/null "$file"; done; true`,
].join(" && ");

/** Shows what differs from the last commit, whoever changed it; without git, what the agent's tools changed lately. */
export async function showChanges(client: Client): Promise<void> {
  const tree = await changesOfFolder(client);
  if (tree !== undefined && tree !== "")
    return client.dialogs.read({ title: "Changes since the last commit", text: tree, format: "diff" });
  const byTools = client.store.state.view.details.filter(({ isChange }) => isChange === true);
  if (byTools.length > 0)
    return client.dialogs.read({
      title: "Changes by tools, the newest first",
      text: detailsText(byTools),
      format: "diff",
    });
  client.controller.note(
    tree === undefined ? "Nothing was changed here yet." : "Nothing differs from the last commit.",
  );
}

/** `undefined` outside of git, or when it cannot be asked. */
async function changesOfFolder({ controller }: Client): Promise<string | undefined> {
  const session_id = controller.sessionId;
  if (session_id === undefined) return undefined;
  try {
    const status = await controller.request("shell.exec", { command: STATUS, session_id });
    if (status.code !== 0) return undefined;
    if (status.stdout.trim() === "") return "";
    // A streamed command keeps more of its output; its events are for nobody.
    const run = { command: CHANGES, session_id, stream_id: "working-tree" };
    const { stdout } = await controller.request("shell.exec", run);
    return `${status.stdout.trimEnd()}\n\n${fromFirstFile(stdout)}`;
  } catch {
    return undefined;
  }
}

/** Of a difference that is too long its end has come: what is left of a file at its beginning means nothing. */
function fromFirstFile(diff: string): string {
  const at = diff.search(/^diff --git /m);
  return at <= 0 ? diff : `… more before: git diff shows all\n\n${diff.slice(at)}`;
}
