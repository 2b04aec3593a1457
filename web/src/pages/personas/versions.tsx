import { useState } from "react";
import type { PersonaDetail } from "../../../../src/dashboard/api/persona-routes.ts";
import { type PersonaFields, type PersonaVersion, usePersonaChange } from "../../client/personas.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Ago } from "../../design/time.tsx";
import { lineDiff } from "./line-diff.ts";
import styles from "./personas.module.css";

interface VersionsProps {
  readonly name: string;
  readonly detail: PersonaDetail;
}

/** The versions of a persona: who made each, what it changed, and the way back to it. */
export function Versions({ name, detail: { persona, versions } }: VersionsProps) {
  const [open, setOpen] = useState<number>();
  const change = usePersonaChange();
  const newest = versions[0];
  if (newest === undefined) return null;
  return (
    <Panel title="Versions" flush>
      <Fault error={change.error} />
      <ol className={styles["versions"]}>
        {versions.map(({ version, at, by, fields }, index) => {
          const before = versions[index + 1];
          return (
            <li key={version}>
              <p>
                <strong>Version {version}</strong> by {by}, <Ago at={at / 1000} />:{" "}
                {whatChanged(fields, before)}
              </p>
              <div className={styles["acts"]}>
                <Button
                  aria-expanded={open === version}
                  aria-label={`Changes of version ${version}`}
                  onClick={() => setOpen(open === version ? undefined : version)}
                >
                  Changes
                </Button>
                {fields === undefined || (index === 0 && persona !== null) ? null : (
                  <Button
                    aria-label={`Back to version ${version}`}
                    disabled={change.isPending}
                    onClick={() => change.mutate({ name, fields, version: newest.version })}
                  >
                    Back
                  </Button>
                )}
              </div>
              {open === version ? <Changes before={before?.fields} after={fields} /> : null}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

function whatChanged(after: PersonaFields | undefined, before: PersonaVersion | undefined): string {
  if (after === undefined) return "removed";
  if (before?.fields === undefined) return before === undefined ? "made" : "brought back";
  const was = before.fields;
  const keys = ["instructions", "model", "toolsets", "skills", "collections", "budget"] as const;
  const changed = keys.filter((key) => JSON.stringify(after[key]) !== JSON.stringify(was[key]));
  return changed.join(", ") || "nothing changed";
}

interface ChangesProps {
  readonly before: PersonaFields | undefined;
  readonly after: PersonaFields | undefined;
}

const MARKS = { same: " ", added: "+", removed: "-" } as const;

function Changes({ before, after }: ChangesProps) {
  const lines = lineDiff(textOf(before), textOf(after));
  if (lines.length === 0)
    return (
      <Empty title="Nothing changed">
        <p>It is the same as the version before it.</p>
      </Empty>
    );
  return (
    <pre className={styles["diff"]} tabIndex={0} aria-label="What changed">
      {lines.map(({ kind, text }, index) => (
        // Lines have no names, and a diff never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} data-kind={kind}>
          {`${MARKS[kind]} ${text}\n`}
        </span>
      ))}
    </pre>
  );
}

/** A persona as lines that can be compared. */
function textOf(fields: PersonaFields | undefined): readonly string[] {
  if (fields === undefined) return [];
  const { instructions, ...rest } = fields;
  const others = Object.entries(rest).map(([key, value]) =>
    Array.isArray(value)
      ? `${key}: ${value.join(", ") || "none"}`
      : `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [...others, "instructions:", ...instructions.split("\n")];
}
