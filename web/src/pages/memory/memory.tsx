import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RememberedFile, RememberedScope } from "../../../../src/dashboard/api/memory-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Button } from "../../design/button.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Fault } from "../../design/fault.tsx";
import { Markdown } from "../../design/markdown.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import styles from "./memory.module.css";

const TITLES: Readonly<Record<RememberedFile["target"], string>> = {
  memory: "What the agent learnt",
  user: "About the user",
};

/** What the agent remembers from one conversation to the next. */
export function Memory() {
  const [{ q }] = useFilters();
  const { entries, more, error } = useListPages<RememberedScope>("/memory", { q });
  const files = (entries ?? []).flatMap(({ scope, files: each }) => each.map((file) => ({ scope, file })));
  const filled = files.filter(({ file }) => file.entries.length > 0);
  return (
    <Page
      title="Memory"
      about="What the agent carries from one conversation to the next. What is forgotten here is gone from the next conversation on."
    >
      <FilterBar label="Filter entries" />
      <Fault error={error} />
      {filled.map(({ scope, file }) => (
        <MemoryPanel key={`${scope}/${file.target}`} scope={scope} file={file} />
      ))}
      {entries !== undefined && filled.length === 0 ? (
        <Panel title={q === undefined ? "Memory" : "Nothing found"}>
          {q === undefined ? (
            <Empty title="Nothing is remembered yet">
              <p>
                Tell the agent what it should keep in mind, such as “remember that we deploy on Tuesdays”.
                What it notes shows here, with all that it learns by itself.
              </p>
            </Empty>
          ) : (
            <Empty title="No entry has these words">
              <p>Take words out of the filter.</p>
            </Empty>
          )}
        </Panel>
      ) : null}
      {more === undefined ? null : <Button onClick={more}>Show more</Button>}
    </Page>
  );
}

function MemoryPanel({ scope, file }: { readonly scope: string; readonly file: RememberedFile }) {
  const queries = useQueryClient();
  const forget = useMutation({
    mutationFn: (entry: string) => ask("POST", "/memory/forget", { scope, target: file.target, entry }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["/memory"] }),
  });
  const title = scope === "" ? TITLES[file.target] : `${TITLES[file.target]} · ${scope}`;
  return (
    <Panel
      title={title}
      flush
      actions={
        <span className={styles["size"]}>
          {file.characters} of {file.budget} characters
        </span>
      }
    >
      <Fault error={forget.error} />
      <ul className={styles["entries"]}>
        {file.entries.map((entry, at) => (
          <li key={`${at} ${entry}`}>
            <Markdown text={entry} />
            <Confirm
              trigger={
                <Button look="quiet" aria-label={`Forget: ${entry.slice(0, 60)}`}>
                  Forget
                </Button>
              }
              title="Forget this?"
              action="Forget"
              onConfirm={() => forget.mutate(entry)}
            >
              {entry}
            </Confirm>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
