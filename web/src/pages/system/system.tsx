import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { AuditPageWire } from "../../../../src/dashboard/api/audit-routes.ts";
import type { SignedInList } from "../../../../src/dashboard/api/sign-in-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { Button } from "../../design/button.tsx";
import { Panel } from "../../design/panel.tsx";
import { Table } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { Account } from "./account.tsx";

/** How one signs in, who is signed in, and who did what. */
export function System() {
  return (
    <Page title="System">
      <Account />
      <SignedIn />
      <Audit />
    </Page>
  );
}

function SignedIn() {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ["signed-in"],
    queryFn: () => ask<z.output<typeof SignedInList>>("GET", "/signed-in"),
  });
  const end = useMutation({
    mutationFn: (id: string) => ask("DELETE", `/signed-in/${encodeURIComponent(id)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: ["signed-in"] }),
  });
  return (
    <Panel title="Signed in" flush>
      <Table caption="Who is signed in">
        <thead>
          <tr>
            <th scope="col">Browser</th>
            <th scope="col">Address</th>
            <th scope="col">Signed in by</th>
            <th scope="col">Last seen</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {(data?.data ?? []).map((each) => (
            <tr key={each.id}>
              <td>{each.browser}</td>
              <td>{each.address}</td>
              <td>{each.way}</td>
              <td>
                <Ago at={each.seen_at} />
              </td>
              <td data-align="right">
                {each.current ? (
                  "This one"
                ) : (
                  <Button look="quiet" onClick={() => end.mutate(each.id)}>
                    Sign out
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}

function Audit() {
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
      actions={hasNextPage ? <Button onClick={() => void fetchNextPage()}>Show older</Button> : undefined}
    >
      <Table caption="Who did what">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">From</th>
            <th scope="col">What</th>
            <th scope="col">To what</th>
          </tr>
        </thead>
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
              </tr>
            )),
          )}
        </tbody>
      </Table>
    </Panel>
  );
}
