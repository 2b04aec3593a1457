import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { ModelRow } from "../../../../src/dashboard/api/model-routes.ts";
import { ask, RequestRefused } from "../../client/dashboard-api.ts";
import { personaChoicesQuery, type PersonaFields } from "../../client/personas.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Area, Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { NameChoice } from "./name-choice.tsx";
import styles from "./personas.module.css";

/** A version that somebody else saved meanwhile. */
interface OtherVersion {
  readonly by: string;
  readonly version: number;
  /** Goes on from that one; with `true` what was typed here is given up for it. */
  readonly look: (isTaken: boolean) => void;
}

interface PersonaFormProps {
  readonly name: string;
  /** Of one that is made. */
  readonly onName?: (name: string) => void;
  readonly fields: PersonaFields;
  readonly onFields: (fields: PersonaFields) => void;
  readonly action: string;
  readonly isPending: boolean;
  readonly isSame?: boolean;
  readonly isSaved?: boolean;
  /** The place where it can be changed instead. */
  readonly fixedIn?: string | undefined;
  readonly other?: OtherVersion;
  readonly error: Error | null;
  readonly onSave: () => void;
}

/** The fields that say what is wrong with them; all else is said at the end. */
const AT_FIELDS = new Set(["instructions", "model", "toolsets", "skills", "collections", "budget"]);

/** The fields of a persona. */
export function PersonaForm(props: PersonaFormProps) {
  const { name, onName, fixedIn, other, error, isSame = false, isSaved = false } = props;
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    props.onSave();
  };
  const field = error instanceof RequestRefused ? (error.field?.split(".")[0] ?? "") : "";
  const isAtField = AT_FIELDS.has(field) || (field === "name" && onName !== undefined);
  const faultOf = (key: string): string | undefined => (field === key ? error?.message : undefined);
  return (
    <Panel title={onName === undefined ? "Edit" : "What it is"}>
      <form className={row["stack"]} onSubmit={send}>
        {fixedIn === undefined ? null : (
          <p className={row["soft"]}>
            It stands in config.yaml ({fixedIn}) and is changed there. A copy can be changed here.
          </p>
        )}
        {onName === undefined ? null : (
          <Field
            label="Name"
            required
            maxLength={60}
            value={name}
            onChange={({ target }) => onName(target.value)}
            hint="Letters, digits, spaces, dots, - and _. It stays as it is."
            fault={faultOf("name")}
          />
        )}
        <FieldInputs {...props} faultOf={faultOf} />
        {other === undefined ? null : <Behind other={other} />}
        {isAtField || other !== undefined ? null : <Fault error={error} />}
        <div className={row["row"]}>
          <Button
            look="primary"
            type="submit"
            disabled={props.isPending || isSame || fixedIn !== undefined || other !== undefined}
          >
            {props.action}
          </Button>
          <span role="status" className={row["soft"]}>
            {isSaved && isSame ? "Saved: it holds from each conversation's next turn on." : null}
          </span>
        </div>
      </form>
    </Panel>
  );
}

/** Another one's version: theirs is taken, or what was typed here goes on from it. */
function Behind({ other: { by, version, look } }: { readonly other: OtherVersion }) {
  return (
    <div role="alert" className={styles["behind"]}>
      <p>
        {by} saved version {version} meanwhile. Nothing of yours is lost, and nothing was saved over theirs:
        what it changed is under Versions.
      </p>
      <div className={row["row"]}>
        <Button onClick={() => look(true)}>Take theirs</Button>
        <Button onClick={() => look(false)}>Keep mine, to save over it</Button>
      </div>
    </div>
  );
}

interface FieldInputsProps extends Pick<PersonaFormProps, "fields" | "onFields"> {
  readonly faultOf: (key: string) => string | undefined;
}

function FieldInputs({ fields, onFields, faultOf }: FieldInputsProps) {
  const { data: known } = useQuery(personaChoicesQuery);
  const { data: models } = useQuery({
    queryKey: ["/models", "names"],
    queryFn: async () => (await ask<{ readonly data: readonly ModelRow[] }>("GET", "/models?limit=500")).data,
  });
  const set = (key: keyof PersonaFields, value: unknown): void => {
    const { [key]: _before, ...rest } = fields;
    // The keys are those of a persona, and a value that is there is of its kind.
    onFields({ ...rest, ...(value === undefined ? {} : { [key]: value }) } as PersonaFields);
  };
  const setBudget = (key: "tokens" | "cost", text: string): void => {
    const { [key]: _before, ...rest } = fields.budget ?? {};
    const budget = text === "" ? rest : { ...rest, [key]: Number(text) };
    set("budget", Object.keys(budget).length === 0 ? undefined : budget);
  };
  return (
    <>
      <Area
        label="Instructions"
        rows={10}
        maxLength={32_000}
        value={fields.instructions}
        onChange={({ target }) => onFields({ ...fields, instructions: target.value })}
        hint="What the agent is told before anything else: who it is, how it speaks, what it is for."
        fault={faultOf("instructions")}
      />
      <Field
        label="Model"
        list="persona-models"
        value={fields.model ?? ""}
        onChange={({ target }) => set("model", target.value === "" ? undefined : target.value)}
        hint="provider:model; without it that of the configuration"
        fault={faultOf("model")}
      />
      <datalist id="persona-models">
        {(models ?? []).map(({ provider, model }) => (
          <option key={`${provider}:${model}`} value={`${provider}:${model}`} />
        ))}
      </datalist>
      {(["toolsets", "skills", "collections"] as const).map((key) => (
        <NameChoice
          key={key}
          label={LABELS[key]}
          known={known?.[key] ?? []}
          chosen={fields[key]}
          onChange={(names) => set(key, names)}
          fault={faultOf(key)}
        />
      ))}
      <div className={styles["pair"]}>
        <Field
          label="Tokens of a session"
          type="number"
          min={0}
          value={fields.budget?.tokens ?? ""}
          onChange={({ target }) => setBudget("tokens", target.value)}
          hint="The most; 0 is no limit"
          fault={faultOf("budget")}
        />
        <Field
          label="Dollars of a session"
          type="number"
          min={0}
          step="any"
          value={fields.budget?.cost ?? ""}
          onChange={({ target }) => setBudget("cost", target.value)}
          hint="The most; 0 is no limit"
        />
      </div>
    </>
  );
}

const LABELS = {
  toolsets: "Toolsets",
  skills: "Skills",
  collections: "Collections of the knowledge base",
} as const;
