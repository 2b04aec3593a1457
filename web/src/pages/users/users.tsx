import { Link } from "@tanstack/react-router";
import { useListPages } from "../../client/list-pages.ts";
import type { User } from "../../client/users.ts";
import { Button, ButtonLink } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { classes } from "../../design/classes.ts";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { ChoiceFilter, FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { ROLES, usedText, UserState } from "./user-words.tsx";

const REFRESH_MS = 15_000;
const STATES = { active: "Active", disabled: "Disabled" } as const;

/** The roster: who may use the agent. */
export function Users() {
  const [{ q, state }] = useFilters();
  const { entries, more, error } = useListPages<User>("/users", { q, state }, REFRESH_MS);
  const isFiltered = q !== undefined || state !== undefined;
  return (
    <Page
      title="Users"
      about="The people who may use the agent, on every surface."
      actions={
        <div className={row["row"]}>
          <Link to="/users/new" className={classes(buttons["button"], buttons["primary"])}>
            New user
          </Link>
          <Link to="/users/import" className={buttons["button"]}>
            Import
          </Link>
          <ButtonLink href="/dashboard/api/users/export" download="users.csv">
            Export
          </ButtonLink>
        </div>
      }
    >
      <FilterBar label="Filter users">
        <ChoiceFilter label="State" values={STATES} />
      </FilterBar>
      <Fault error={error} />
      <Panel
        title="Users"
        flush
        actions={more === undefined ? undefined : <Button onClick={more}>Show more</Button>}
      >
        {entries === undefined ? null : entries.length > 0 ? (
          <UserTable users={entries} />
        ) : isFiltered ? (
          <Empty title="No user is like that">
            <p>Take words out of the filter, or choose another state.</p>
          </Empty>
        ) : (
          <Empty title="Nobody is on the roster yet">
            <p>
              Add somebody with <Link to="/users/new">New user</Link>, or many at once with{" "}
              <Link to="/users/import">Import</Link>. They sign in at the app with their mobile number, and in
              chats by the identities that are linked to them.
            </p>
          </Empty>
        )}
      </Panel>
    </Page>
  );
}

function UserTable({ users }: { readonly users: readonly User[] }) {
  return (
    <Table caption="Users">
      <TableHead
        columns={["Name", "Mobile", "Role", "Persona", "Used this month", "Chats", "Last seen", "State"]}
      />
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <td>
              <Link to="/users/$id" params={{ id: user.id }}>
                {user.name}
              </Link>
              {user.is_owner ? " (at the terminal)" : ""}
            </td>
            <td>{user.mobile ?? "–"}</td>
            <td>{ROLES[user.role]}</td>
            <td>{user.persona ?? "–"}</td>
            <td>{usedText(user)}</td>
            <td>{user.identities.join(", ") || "–"}</td>
            <td>{user.last_seen_at === null ? "Never" : <Ago at={user.last_seen_at} />}</td>
            <td>
              <UserState user={user} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
