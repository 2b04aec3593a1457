import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useRef } from "react";
import { type User, userPath, userQuery, useUserChange } from "../../client/users.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Confirm } from "../../design/confirm.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Field } from "../../design/field.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { ROLES, usedText, UserState } from "./user-words.tsx";

const below = (id: string, verb = ""): string => `${userPath(id).slice("/users".length)}${verb}`;

/** One user: who it is, what they used, and what they are known by. */
export function UserPage() {
  const { id } = useParams({ from: "/users/$id" });
  const { data: user, error } = useQuery(userQuery(id));
  return (
    <Page
      title={user?.name ?? "User"}
      about={<Link to="/users">All users</Link>}
      actions={user === undefined ? undefined : <Actions user={user} />}
    >
      <Fault error={error} />
      {user === undefined ? null : (
        <>
          <About user={user} />
          <Identities user={user} />
        </>
      )}
    </Page>
  );
}

function Actions({ user: { id, name, disabled } }: { readonly user: User }) {
  const navigate = useNavigate();
  const change = useUserChange();
  const end = useUserChange<unknown>();
  const remove = useUserChange<unknown>(() => void navigate({ to: "/users" }));
  const turn = (off: boolean): void =>
    change.mutate({ method: "PATCH", path: below(id), body: { disabled: off } });
  return (
    <div className={row["row"]}>
      <Fault error={change.error ?? end.error ?? remove.error} />
      <Link to="/users/$id/edit" params={{ id }} className={buttons["button"]}>
        Edit
      </Link>
      {disabled ? (
        <Button disabled={change.isPending} onClick={() => turn(false)}>
          Enable
        </Button>
      ) : (
        <Confirm
          trigger={<Button>Disable</Button>}
          title={`Disable ${name}?`}
          action="Disable"
          onConfirm={() => turn(true)}
        >
          They are out at once on every surface: devices are signed out, and what runs for them ends. All of
          theirs stays.
        </Confirm>
      )}
      <Confirm
        trigger={<Button>End all sessions</Button>}
        title={`End all sessions of ${name}?`}
        action="End all sessions"
        onConfirm={() => end.mutate({ method: "POST", path: below(id, "/end") })}
      >
        Their devices are signed out of the app, and what runs for them ends. They may sign in again.
      </Confirm>
      <Confirm
        trigger={<Button look="danger">Remove</Button>}
        title={`Remove ${name}?`}
        action="Remove"
        onConfirm={() => remove.mutate({ method: "DELETE", path: below(id) })}
      >
        They are out at once on every surface. Their conversations stay, for nobody but operators, and nobody
        else ever gets them.
      </Confirm>
    </div>
  );
}

function About({ user }: { readonly user: User }) {
  const person = user.is_owner ? "owner" : `user:${user.id}`;
  return (
    <Panel
      title="About"
      actions={
        <Link to="/sessions" search={{ person }} className={buttons["button"]}>
          Sessions
        </Link>
      }
    >
      <Facts
        facts={[
          ["State", <UserState key="state" user={user} />],
          ["Mobile", user.mobile ?? "None: they cannot sign in at the app"],
          ["Role", ROLES[user.role]],
          ["Persona", user.persona ?? "That of their place"],
          ["Used this month", usedText(user)],
          ["Memory", user.is_owner ? "The home's own: they sit at the terminal" : `user:${user.id}`],
          ["Last seen", user.last_seen_at === null ? "Never" : <Ago key="seen" at={user.last_seen_at} />],
          ["Added", <Ago key="added" at={user.created_at} />],
          ["Id", <code key="id">{user.id}</code>],
        ]}
      />
    </Panel>
  );
}

function Identities({ user: { id, identities } }: { readonly user: User }) {
  const link = useUserChange();
  const unlink = useUserChange();
  const form = useRef<HTMLFormElement>(null);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const identity = new FormData(event.currentTarget).get("identity");
    const done = { onSuccess: () => form.current?.reset() };
    link.mutate({ method: "POST", path: below(id, "/link"), body: { identity } }, done);
  };
  return (
    <>
      <Panel title="Chats" flush>
        {identities.length === 0 ? (
          <Empty title="No chat is linked">
            <p>
              Link the identity that they write with, or let them in by a code on Connectors. Its direct
              messages are theirs then, with their memory.
            </p>
          </Empty>
        ) : (
          <Table caption="Chats">
            <TableHead columns={["Identity", { name: "Actions", look: "hidden" }]} />
            <tbody>
              {identities.map((identity) => (
                <tr key={identity}>
                  <td>{identity}</td>
                  <td data-align="right">
                    <Confirm
                      trigger={<Button aria-label={`Unlink ${identity}`}>Unlink</Button>}
                      title={`Unlink ${identity}?`}
                      action="Unlink"
                      onConfirm={() =>
                        unlink.mutate({ method: "POST", path: below(id, "/unlink"), body: { identity } })
                      }
                    >
                      What is written with it is not theirs any more. What was said stays theirs.
                    </Confirm>
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Panel>
      <Panel title="Link a chat">
        <form ref={form} className={row["form"]} onSubmit={send}>
          <Field
            label="Identity"
            name="identity"
            required
            autoComplete="off"
            hint="<platform>:<id>, such as telegram:42"
            fault={(link.error ?? unlink.error)?.message}
          />
          <div className={row["row"]}>
            <Button type="submit" disabled={link.isPending}>
              Link
            </Button>
          </div>
        </form>
      </Panel>
    </>
  );
}
