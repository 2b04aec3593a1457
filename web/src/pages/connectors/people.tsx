import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Pairings } from "../../../../src/dashboard/api/pairing-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { usersQuery } from "../../client/users.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { Choice } from "../../layout/filter-bar.tsx";

const PAIRING = "/pairing";
const REFRESH_MS = 5000;

/** People who wrote to the agent and were told a code, and those whom a code has let in; nothing where there are none. */
export function People() {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: [PAIRING],
    queryFn: () => ask<Pairings>("GET", PAIRING),
    refetchInterval: REFRESH_MS,
  });
  const change = useMutation({
    mutationFn: ({ path, body }: { readonly path: "decide" | "let-out"; readonly body: unknown }) =>
      ask("POST", `${PAIRING}/${path}`, body),
    onSettled: () => queries.invalidateQueries({ queryKey: [PAIRING] }),
  });
  const { data: users = [] } = useQuery(usersQuery);
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const { open = [], people = [] } = data ?? {};
  const fault = error ?? change.error;
  if (open.length + people.length === 0 && fault === null) return null;
  return (
    <Panel title="People let in by a code" flush>
      <Fault error={fault} />
      <Table caption="People let in by a code">
        <TableHead columns={["Person", "Platform", "State", { name: "Actions", look: "hidden" }]} />
        <tbody>
          {open.map(({ code, platform, name, person_id: id, expires_at: at }) => (
            <tr key={code}>
              <td>
                {name} ({id})
              </td>
              <td>{platform}</td>
              <td>
                Asks with code <code>{code}</code>, which ends <Ago at={at} />
              </td>
              <td data-align="right">
                <span className={row["row"]}>
                  {users.length === 0 ? null : (
                    <Choice
                      label={`The user who ${name} is`}
                      values={Object.fromEntries(users.map((user) => [user.id, user.name]))}
                      value={chosen[code] ?? ""}
                      onChange={(user) => setChosen((before) => ({ ...before, [code]: user }))}
                      none="Not a user"
                    />
                  )}
                  <Button
                    look="primary"
                    aria-label={`Let ${name} in`}
                    onClick={() =>
                      change.mutate({
                        path: "decide",
                        body: { code, let_in: true, ...(chosen[code] ? { user: chosen[code] } : {}) },
                      })
                    }
                  >
                    Let in
                  </Button>
                  <Button
                    aria-label={`Refuse ${name}`}
                    onClick={() => change.mutate({ path: "decide", body: { code, let_in: false } })}
                  >
                    Refuse
                  </Button>
                </span>
              </td>
            </tr>
          ))}
          {people.map(({ platform, name, person_id: id, paired_at: at }) => (
            <tr key={`${platform} ${id}`}>
              <td>
                {name} ({id})
              </td>
              <td>{platform}</td>
              <td>
                Let in <Ago at={at} />
              </td>
              <td data-align="right">
                <Button
                  aria-label={`Let ${name} out`}
                  onClick={() => change.mutate({ path: "let-out", body: { platform, person_id: id } })}
                >
                  Take back
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}
