import type { ChangedFile, TurnFiles } from "../../core/index.ts";
import type { Database } from "../store/sqlite/database.ts";
import { integer, text } from "../store/sqlite/columns.ts";
import { type FileState, isSameState, readablePath } from "./file-state.ts";
import { countLines, type PastParts, textOf } from "./patches.ts";
import { historiesOf, type PathHistory, whyNotKept } from "./plan-restore.ts";
import type { Step } from "./steps.ts";

/** Files of a turn that are listed. */
const MOST_FILES = 200;

/** The turns of sessions with what they did to files. */
export class TurnSummaries {
  readonly #database: Database;
  readonly #parts: PastParts;

  constructor(database: Database, parts: PastParts) {
    this.#database = database;
    this.#parts = parts;
  }

  async of(session: string): Promise<readonly TurnFiles[]> {
    const byTurn = Map.groupBy(this.#parts.steps.of(session), ({ turn }) => turn);
    const dropped = this.#database
      .all("SELECT turn, cursor FROM dropped WHERE session = ? ORDER BY cursor", session)
      .map((row) => ({
        ...NOTHING,
        turnId: text(row, "turn"),
        cursor: integer(row, "cursor"),
        dropped: true,
      }));
    const turns = [...byTurn].map(([turnId, steps]) => this.#turn(turnId, steps));
    const all = [...dropped, ...(await Promise.all(turns))];
    return all.filter(({ files, notes, dropped: gone }) => gone || files.length > 0 || notes.length > 0);
  }

  async #turn(turnId: string, steps: readonly Step[]): Promise<TurnFiles> {
    const changes = steps.flatMap(({ id, root }) =>
      this.#parts.steps.changes(id).map((change) => ({ ...change, root })),
    );
    const changed = historiesOf(changes)
      .filter(({ first, last }) => isShown(first, last))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const files: ChangedFile[] = [];
    for (const history of changed.slice(0, MOST_FILES)) files.push(await this.#file(history));
    return {
      turnId,
      cursor: Math.min(...steps.map(({ cursor }) => cursor)),
      at: Math.min(...steps.map(({ at }) => at)),
      files,
      more: Math.max(0, changed.length - MOST_FILES),
      added: files.reduce((sum, { added }) => sum + added, 0),
      removed: files.reduce((sum, { removed }) => sum + removed, 0),
      dropped: false,
      notes: changed.length === 0 ? [] : [...new Set(steps.flatMap(({ id }) => this.#parts.steps.notes(id)))],
    };
  }

  async #file({ path, root, first, last }: PathHistory): Promise<ChangedFile> {
    const lines = await this.#lines(first, last);
    const notKept = whyNotKept(first);
    return {
      path: readablePath(`${this.#parts.rootOf(root)}/${path}`),
      change: first.kind === "absent" ? "added" : last.kind === "absent" ? "deleted" : "changed",
      ...lines,
      ...(notKept === undefined ? {} : { notKept }),
    };
  }

  /** Counted once for two contents. */
  async #lines(first: FileState, last: FileState): Promise<Pick<ChangedFile, "added" | "removed">> {
    const [pre, post] = [keyOf(first), keyOf(last)];
    const row = this.#database.one(
      "SELECT added, removed FROM line_counts WHERE pre = ? AND post = ?",
      pre,
      post,
    );
    if (row !== undefined) return { added: integer(row, "added"), removed: integer(row, "removed") };
    const [before, after] = [textOf(first, this.#parts.objects), textOf(last, this.#parts.objects)];
    if (before === undefined || after === undefined) return { added: 0, removed: 0 };
    const counts = await countLines(before, after);
    this.#database.write(false, () =>
      this.#database.insert("line_counts", { pre, post, ...counts }, "ON CONFLICT DO NOTHING"),
    );
    return counts;
  }
}

const NOTHING = { at: 0, files: [], more: 0, added: 0, removed: 0, notes: [] };

const keyOf = (state: FileState): string =>
  state.kind === "file" ? (state.hash ?? "") : state.kind === "symlink" ? state.target : "";

/** Folders come and go with their files; only an empty one, or another mode, is worth a line. */
function isShown(first: FileState, last: FileState): boolean {
  const isFolder = (state: FileState): boolean => state.kind === "directory" || state.kind === "absent";
  return !isSameState(first, last) && !(isFolder(first) && isFolder(last));
}
