import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { z } from "zod";
import type { ModelRow, TriedModel } from "../../../../src/dashboard/api/model-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Field } from "../../design/field.tsx";
import { Markdown } from "../../design/markdown.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";

type Tried = z.output<typeof TriedModel>;

interface TryModelProps {
  readonly model: ModelRow;
  readonly onClose: () => void;
}

/** One short question to a model, outside of any session. */
export function TryModel({ model: { provider, model }, onClose }: TryModelProps) {
  const trial = useMutation({
    mutationFn: (prompt: string) => ask<Tried>("POST", "/models/try", { provider, model, prompt }),
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const prompt = new FormData(event.currentTarget).get("prompt");
    if (typeof prompt === "string") trial.mutate(prompt);
  };
  return (
    <Panel
      title={`Try ${model}`}
      actions={
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className={row["stack"]}>
        <form className={row["form"]} onSubmit={send}>
          <Field
            label="Question"
            name="prompt"
            required
            autoFocus
            maxLength={2000}
            defaultValue="Say in one sentence who you are."
            hint="It is asked once, without tools, and costs what one short answer costs."
          />
          <div className={row["row"]}>
            <Button look="primary" type="submit" disabled={trial.isPending}>
              {trial.isPending ? "Asking …" : "Ask"}
            </Button>
          </div>
        </form>
        <Fault error={trial.error} />
        {trial.data === undefined ? null : <Answer tried={trial.data} />}
      </div>
    </Panel>
  );
}

function Answer({ tried }: { readonly tried: Tried }) {
  const { text, first_ms: first, ms, input_tokens: input, output_tokens: output, cost } = tried;
  const figures = [
    first === undefined ? undefined : `first text after ${first} ms`,
    `done after ${ms} ms`,
    input === undefined ? undefined : `${input} tokens in`,
    output === undefined ? undefined : `${output} out`,
    cost === undefined ? undefined : `$${cost.toFixed(cost < 0.01 ? 5 : 2)}`,
  ];
  return (
    <div className={row["stack"]} role="status">
      <Markdown text={text === "" ? "(It answered without a word.)" : text} />
      <p className={row["soft"]}>{figures.filter((each) => each !== undefined).join(" · ")}</p>
    </div>
  );
}
