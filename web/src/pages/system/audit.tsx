import { useInfiniteQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { AuditPageWire } from "../../../../src/dashboard/api/audit-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { Button, ButtonLink } from "../../design/button.tsx";
import { Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";

/** Who did what. */
export function Audit() {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ pageParam }) =>
      ask<z.output<typeof AuditPageWire>>(
        "GET",
        `/audit${pageParam === undefined ? "" : `?after=${pageParam}`}`,
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
  });
  return (
    <Panel
      title="Audit log"
      flush
      actions={
        <>
          {hasNextPage ? <Button onClick={() => void fetchNextPage()}>Show older</Button> : null}
          <ButtonLink href="/dashboard/api/audit/export" download>
            Export
          </ButtonLink>
        </>
      }
    >
      <Table caption="Who did what">
        <TableHead columns={["When", "Who", "From", "What", "To what", "Before and after"]} />
        <tbody>
          {(data?.pages ?? []).flatMap((page) =>
            page.data.map((entry) => (
              <tr key={entry.id}>
                <td>
                  <Ago at={entry.at} />
                </td>
                <td>{entry.who}</td>
                <td>{entry.from}</td>
                <td>{entry.action}</td>
                <td>{entry.subject ?? ""}</td>
                <td>
                  {[entry.before, entry.after]
                    .filter((each) => each !== undefined)
                    .map(factWords)
                    .join(" → ")}
                </td>
              </tr>
            )),
          )}
        </tbody>
      </Table>
    </Panel>
  );
}

/** Facts of an entry in one line: `way: password`. */
function factWords(facts: unknown): string {
  if (typeof facts === "string") return facts;
  if (typeof facts !== "object" || facts === null || Array.isArray(facts)) return JSON.stringify(facts);
  return Object.entries(facts)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
