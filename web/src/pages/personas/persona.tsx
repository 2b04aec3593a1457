import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { PersonaDetail, PersonaRow } from "../../../../src/dashboard/api/persona-routes.ts";
import { personaQuery, type PersonaFields, usePersonaChange } from "../../client/personas.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Confirm } from "../../design/confirm.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Page } from "../../layout/page.tsx";
import { PersonaForm } from "./persona-form.tsx";
import { PersonaUses } from "./persona-uses.tsx";
import { SOURCES } from "./personas.tsx";
import { Trial } from "./trial.tsx";
import { Versions } from "./versions.tsx";

const EMPTY: PersonaFields = { instructions: "" };

/** Makes a persona: from nothing, or as a copy of one that there is. */
export function NewPersona() {
  const { copy } = useSearch({ from: "/personas/new" });
  if (copy === undefined) return <NewFrom name="" fields={EMPTY} />;
  return <CopyOf key={copy} name={copy} />;
}

function CopyOf({ name }: { readonly name: string }) {
  const { data, error } = useQuery(personaQuery(name));
  if (data === undefined || data.persona === null)
    return (
      <Page title="New persona" about={<Link to="/personas">All personas</Link>}>
        <Fault error={error} />
      </Page>
    );
  return <NewFrom name={`${name} copy`} fields={data.persona.fields} />;
}

function NewFrom({ name: first, fields: given }: { readonly name: string; readonly fields: PersonaFields }) {
  const navigate = useNavigate();
  const [name, setName] = useState(first);
  const [fields, setFields] = useState(given);
  const change = usePersonaChange(() => void navigate({ to: "/personas/edit/$name", params: { name } }));
  return (
    <Page title="New persona" about={<Link to="/personas">All personas</Link>} wide>
      <div className={row["columns"]}>
        <PersonaForm
          name={name}
          onName={setName}
          fields={fields}
          onFields={setFields}
          error={change.error}
          action="Make the persona"
          isPending={change.isPending}
          onSave={() => change.mutate({ name, fields })}
        />
        <Trial name={name} fields={fields} />
      </div>
    </Page>
  );
}

/** One persona: its editor with a trial beside it, who uses it, and its versions. */
export function PersonaPage() {
  const { name } = useParams({ from: "/personas/edit/$name" });
  const { data, error } = useQuery(personaQuery(name));
  return (
    <Page
      title={name}
      about={<Link to="/personas">All personas</Link>}
      wide
      actions={data?.persona == null ? undefined : <Actions persona={data.persona} />}
    >
      <Fault error={error} />
      {data === undefined ? null : (
        <>
          {data.persona === null ? <Removed /> : <Editor key={name} persona={data.persona} detail={data} />}
          <Versions name={name} detail={data} />
        </>
      )}
    </Page>
  );
}

function Removed() {
  return (
    <Panel title="Removed">
      <Empty title="This persona was removed">
        <p>One of its versions below brings it back.</p>
      </Empty>
    </Panel>
  );
}

function Actions({ persona: { name, version } }: { readonly persona: PersonaRow }) {
  const navigate = useNavigate();
  const removal = usePersonaChange(() => void navigate({ to: "/personas" }));
  return (
    <div className={row["row"]}>
      <Link to="/personas/new" search={{ copy: name }} className={buttons["button"]}>
        Copy
      </Link>
      {version === undefined ? null : (
        <Confirm
          trigger={
            <Button look="danger" disabled={removal.isPending}>
              Remove
            </Button>
          }
          title={`Remove ${name}?`}
          action="Remove"
          onConfirm={() => removal.mutate({ name, version })}
        >
          <p>No conversation can have it from then on. Its versions stay, and one of them brings it back.</p>
        </Confirm>
      )}
      <Fault error={removal.error} />
    </div>
  );
}

interface EditorProps {
  readonly persona: PersonaRow;
  readonly detail: PersonaDetail;
}

function Editor({ persona, detail }: EditorProps) {
  const { name, source, version, uses } = persona;
  // As it was opened; a save of somebody else changes what is shown only when they are asked for.
  const [seen, setSeen] = useState({ version, fields: persona.fields });
  const [fields, setFields] = useState(persona.fields);
  const change = usePersonaChange(() => setSeen({ version: (seen.version ?? 0) + 1, fields }));
  const newest = detail.versions[0];
  const isSame = JSON.stringify(fields) === JSON.stringify(seen.fields);
  const isBehind = newest !== undefined && seen.version !== undefined && newest.version > seen.version;
  const look = (isTaken: boolean): void => {
    setSeen({ version, fields: persona.fields });
    if (isTaken) setFields(persona.fields);
    change.reset();
  };
  useEffect(() => {
    // Nothing was typed that could be lost.
    if (isBehind && isSame && version === newest?.version) look(true);
  });
  return (
    <>
      <Panel title="Who uses it">
        <PersonaUses uses={uses} />
      </Panel>
      <div className={row["columns"]}>
        <PersonaForm
          name={name}
          fields={fields}
          onFields={setFields}
          error={change.error}
          action="Save"
          isPending={change.isPending}
          isSame={isSame}
          isSaved={change.isSuccess}
          fixedIn={source === "edited" ? undefined : SOURCES[source]}
          {...(isBehind ? { other: { by: newest.by, version: newest.version, look } } : {})}
          onSave={() => change.mutate({ name, fields, version: seen.version ?? 0 })}
        />
        <Trial name={name} fields={fields} />
      </div>
    </>
  );
}
