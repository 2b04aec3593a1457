import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ChangeEvent, useState } from "react";
import { ask } from "../../client/dashboard-api.ts";
import { type Import, useUserChange } from "../../client/users.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Area, Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Table, TableHead } from "../../design/table.tsx";
import { Page } from "../../layout/page.tsx";

const HEAD = "name,mobile,role,persona,budget_tokens,budget_cost,identities";
const MOST_SHOWN = 200;

/** Takes users out of a CSV file, after showing what it would do. */
export function ImportUsers() {
  const [csv, setCsv] = useState("");
  const preview = useMutation({ mutationFn: () => ask<Import>("POST", "/users/preview", { csv }) });
  const take = useUserChange<Import>();
  const edit = (text: string): void => {
    setCsv(text);
    preview.reset();
    take.reset();
  };
  const read = async ({ target: { files } }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = files?.[0];
    if (file !== undefined) edit(await file.text());
  };
  const wish = preview.data;
  const count = wish === undefined ? 0 : wish.added.length + wish.changed.length;
  return (
    <Page title="Import users" about={<Link to="/users">All users</Link>}>
      <Panel title="File">
        <div className={row["form"]}>
          <Field
            label="CSV file"
            type="file"
            accept=".csv,text/csv,text/plain"
            onChange={(event) => void read(event)}
            hint="Commas or semicolons. A line whose mobile number is on the roster changes that user; an empty value changes nothing."
          />
          <Area
            label="Its text"
            rows={8}
            value={csv}
            placeholder={`${HEAD}\nAnna Berg,+49 151 23456789,member,,200000,20,telegram:42`}
            onChange={({ target: { value } }) => edit(value)}
            hint={`The first line names the columns, of: ${HEAD.replaceAll(",", ", ")}; name is needed.`}
          />
          <Fault error={preview.error} />
          <div className={row["row"]}>
            <Button
              look={wish === undefined ? "primary" : "plain"}
              disabled={csv.trim() === "" || preview.isPending}
              onClick={() => preview.mutate()}
            >
              Check
            </Button>
            <Link to="/users" className={buttons["button"]}>
              Cancel
            </Link>
          </div>
        </div>
      </Panel>
      {take.data !== undefined ? (
        <Outcome title="Imported" outcome={take.data} />
      ) : wish === undefined ? null : (
        <Outcome title="What it would do" outcome={wish}>
          <Fault error={take.error} />
          <Button
            look="primary"
            disabled={count === 0 || take.isPending}
            onClick={() => take.mutate({ method: "POST", path: "/import", body: { csv } })}
          >
            Import {count} {count === 1 ? "user" : "users"}
          </Button>
        </Outcome>
      )}
    </Page>
  );
}

interface OutcomeProps {
  readonly title: string;
  readonly outcome: Import;
  readonly children?: React.ReactNode;
}

function Outcome({ title, outcome: { added, changed, refused }, children }: OutcomeProps) {
  return (
    <>
      <Panel title={title}>
        <div className={row["stack"]} role="status">
          <p>
            {added.length} added, {changed.length} changed, {refused.length} refused.
          </p>
          {children}
        </div>
      </Panel>
      {refused.length === 0 ? null : (
        <Panel title="Refused lines" flush>
          <Table caption="Refused lines">
            <TableHead columns={["Line", "Why"]} />
            <tbody>
              {refused.slice(0, MOST_SHOWN).map(({ line, reason }) => (
                <tr key={line}>
                  <td>{line}</td>
                  <td>{reason}</td>
                </tr>
              ))}
            </tbody>
          </Table>
          {refused.length > MOST_SHOWN ? <p>… and {refused.length - MOST_SHOWN} more.</p> : null}
        </Panel>
      )}
    </>
  );
}
