import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { SignedInList } from "../../../../src/dashboard/api/sign-in-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { Button } from "../../design/button.tsx";
import { Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";

/** Who is signed in, and a way to end that. */
export function SignedIn() {
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
        <TableHead
          columns={[
            "Who",
            "Browser",
            "Address",
            "Signed in by",
            "Last seen",
            { name: "Actions", look: "hidden" },
          ]}
        />
        <tbody>
          {(data?.data ?? []).map((each) => (
            <tr key={each.id}>
              <td>{each.who}</td>
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
