import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode } from "react";
import type { AttentionItem } from "../../../../src/dashboard/api/attention-routes.ts";
import { attentionQuery, useRepair } from "../../client/attention.ts";
import { useOpenQuestions } from "../../client/open-questions.ts";
import { Badge, type Tone } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Ago } from "../../design/time.tsx";
import styles from "./home.module.css";

/** Everything that goes no further until somebody does something, each with what repairs it. */
export function Attention() {
  const { data: questions = [] } = useOpenQuestions();
  const { data: items = [], error } = useQuery(attentionQuery);
  return (
    <Panel title="Needs somebody" flush>
      <Fault error={error} />
      {questions.length + items.length === 0 ? (
        <Empty title="Nothing needs anybody">
          <p>Open questions, used-up budgets and whatever failed show here, with a way to go on.</p>
        </Empty>
      ) : (
        <ul className={styles["list"]}>
          {questions.map(({ session_id, title, asked_at, open }) => (
            <Item
              key={open.id}
              badge={["warn", "Question"]}
              title={
                <Link to="/sessions/$id" params={{ id: session_id }}>
                  {title === "" ? session_id : title}
                </Link>
              }
              why={questionWords(open)}
              since={asked_at}
            >
              <Link to="/approvals" className={buttons["button"]}>
                Answer
              </Link>
            </Item>
          ))}
          {items.map((item) => (
            <NeedsSomebody key={`${item.kind} ${item.id}`} item={item} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

type Open = NonNullable<ReturnType<typeof useOpenQuestions>["data"]>[number]["open"];

function questionWords(open: Open): string {
  switch (open.method) {
    case "approval":
      return `May it run ${open.params.command}?`;
    case "clarify":
      return open.params.question;
    case "sudo":
    case "secret":
      return "It asks for a secret, which is given where the session runs.";
  }
}

interface ItemProps {
  readonly badge: readonly [Tone, string];
  readonly title: ReactNode;
  readonly why: string;
  readonly since: number | undefined;
  readonly children: ReactNode;
}

function Item({ badge: [tone, word], title, why, since, children }: ItemProps) {
  return (
    <li className={styles["item"]}>
      <Badge tone={tone}>{word}</Badge>
      <div className={styles["words"]}>
        <p>
          {title} {since === undefined ? null : <Ago at={since} />}
        </p>
        <p className={styles["why"]}>{why}</p>
      </div>
      <div className={styles["repair"]}>{children}</div>
    </li>
  );
}

type Repairable = Exclude<AttentionItem["kind"], "app" | "persona" | "user">;

const KINDS: Readonly<Record<Repairable, { readonly word: string; readonly repair: string }>> = {
  budget: { word: "Budget", repair: "Go on" },
  connector: { word: "Connector", repair: "Reconnect" },
  delivery: { word: "Delivery", repair: "Send again" },
  message: { word: "Message", repair: "Answer again" },
  job: { word: "Job", repair: "Run now" },
  address: { word: "Webhook", repair: "Switch on" },
};

function NeedsSomebody({ item }: { readonly item: AttentionItem }) {
  const { kind, title, why } = item;
  if (kind === "persona")
    return (
      <Item badge={["bad", "Persona"]} title={<strong>{title}</strong>} why={why} since={undefined}>
        <Link to="/personas" className={buttons["button"]}>
          Personas
        </Link>
      </Item>
    );
  if (kind === "user")
    return (
      <Item badge={["warn", "Budget"]} title={<strong>{title}</strong>} why={why} since={item.since}>
        <Link to="/users/$id/edit" params={{ id: item.id }} className={buttons["button"]}>
          Raise
        </Link>
      </Item>
    );
  if (kind !== "app") return <Failure item={{ ...item, kind }} />;
  return (
    <Item badge={["bad", "App"]} title={<strong>{title}</strong>} why={why} since={undefined}>
      <Link to="/system" className={buttons["button"]}>
        System
      </Link>
    </Item>
  );
}

function Failure({ item }: { readonly item: AttentionItem & { readonly kind: Repairable } }) {
  const { kind, title, why, since } = item;
  const { word, repair } = KINDS[kind];
  const { mutate, isPending, isSuccess, error } = useRepair(item);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const budget = new FormData(event.currentTarget).get("budget");
    mutate(typeof budget === "string" ? { budget } : {});
  };
  return (
    <Item badge={["bad", word]} title={<Place item={item} />} why={why} since={since}>
      <form className={styles["form"]} onSubmit={send}>
        {kind === "budget" ? (
          <input
            name="budget"
            required
            className={styles["budget"]}
            aria-label={`Budget of ${title} from now on`}
            placeholder="200k or $5"
          />
        ) : null}
        <Button type="submit" disabled={isPending || isSuccess} aria-label={`${repair}: ${title}`}>
          {isSuccess ? "On its way" : repair}
        </Button>
      </form>
      <Fault error={error} />
    </Item>
  );
}

/** What it is about, where more is known of it. */
function Place({
  item: { kind, id, title },
}: {
  readonly item: AttentionItem & { readonly kind: Repairable };
}) {
  switch (kind) {
    case "budget":
      return (
        <Link to="/sessions/$id" params={{ id }}>
          {title}
        </Link>
      );
    case "connector":
      return (
        <Link to="/connectors/$platform" params={{ platform: id }}>
          {title}
        </Link>
      );
    case "job":
      return (
        <Link to="/jobs/$id" params={{ id }}>
          {title}
        </Link>
      );
    case "address":
      return (
        <Link to="/hooks/addresses/$id" params={{ id }}>
          {title}
        </Link>
      );
    case "delivery":
    case "message":
      return <strong>{title}</strong>;
  }
}
