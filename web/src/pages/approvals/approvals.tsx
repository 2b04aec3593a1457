import { Link } from "@tanstack/react-router";
import { useOpenQuestions } from "../../client/open-questions.ts";
import { Empty, Panel } from "../../design/panel.tsx";
import { Ago } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { QuestionCard } from "../../session/question-card.tsx";

/** Every question that waits for somebody, the oldest first. */
export function Approvals() {
  const { data, refetch } = useOpenQuestions();
  return (
    <Page
      title="Approvals"
      about="Everything that waits for an answer. The first one counts, wherever it is given."
    >
      {data?.length === 0 ? (
        <Panel title="Open">
          <Empty title="Nothing waits for an answer">
            <p>When the agent asks before it runs something, or has a question, it shows here.</p>
          </Empty>
        </Panel>
      ) : null}
      {(data ?? []).map(({ session_id, title, source, asked_at, open }) => (
        <QuestionCard key={open.id} question={open} onAnswered={() => void refetch()}>
          <p>
            <Link to="/sessions/$id" params={{ id: session_id }}>
              {title === "" ? session_id : title}
            </Link>
            , {source}, <Ago at={asked_at} />
          </p>
        </QuestionCard>
      ))}
    </Page>
  );
}
