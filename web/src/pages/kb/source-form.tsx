import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId } from "react";
import { kbQuery, useKbChange } from "../../client/kb.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Page } from "../../layout/page.tsx";
import { SCHEDULES } from "./sources.tsx";

/** Has a folder, file or address read, once or again and again. */
export function NewSource() {
  const navigate = useNavigate();
  const { data } = useQuery({ ...kbQuery, refetchInterval: false });
  const add = useKbChange(() => void navigate({ to: "/kb" }));
  const [collections, schedules] = [useId(), useId()];
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const every = textOf(form, "every");
    const body = { location: textOf(form, "location"), collection: textOf(form, "collection") };
    add.mutate({ method: "POST", path: "/kb/sources", body: every === "" ? body : { ...body, every } });
  };
  return (
    <Page title="Folder or address" about={<Link to="/kb">Knowledge base</Link>}>
      <Panel title="What is read, and how often">
        <form className={row["form"]} onSubmit={send}>
          <Field
            label="Folder, file or address"
            name="location"
            required
            placeholder="/srv/handbook or https://example.com/faq"
            hint="A path on the agent's machine, or an address of the public web. Private hosts must stand in web.private_hosts of config.yaml"
          />
          <Field
            label="Collection"
            name="collection"
            required
            defaultValue="documents"
            maxLength={80}
            list={collections}
          />
          <datalist id={collections}>
            {(data?.collections ?? []).map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <Field
            label="Read again"
            name="every"
            list={schedules}
            defaultValue="every 1h"
            hint="Such as every 1h, daily, or weekdays at 7am; empty: only when somebody asks. Only what has changed is read"
          />
          <datalist id={schedules}>
            {Object.entries(SCHEDULES).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </datalist>
          <Fault error={add.error} />
          <div className={row["row"]}>
            <Button look="primary" type="submit" disabled={add.isPending}>
              Read it
            </Button>
            <Link to="/kb" className={buttons["button"]}>
              Cancel
            </Link>
          </div>
        </form>
      </Panel>
    </Page>
  );
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
