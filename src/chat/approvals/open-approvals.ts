import type { ApprovalRequest, Host } from "../../core/index.ts";
import { placeWords } from "../../shared/text/surface-words.ts";

/** Sessions that are looked at, the newest activity first. */
const MOST = 1000;

/** An approval that somebody has to give, in whichever process its turn runs. */
export interface OpenApproval {
  readonly request: ApprovalRequest;
  readonly sessionId: string;
  /** Unix milliseconds. */
  readonly askedAt: number;
  /** A chat shows it. */
  readonly isInChat: boolean;
  /** Where it was asked, in words. Markdown. */
  readonly origin: string;
}

/** The approvals that conversations of all surfaces wait for. */
export async function approvalsOfAll(host: Host): Promise<readonly OpenApproval[]> {
  const records = await host.list({ doing: "asking", includeHidden: true, limit: MOST, offset: 0 });
  return records.flatMap(({ id: sessionId, state: { questions, turn, source } }) => {
    const { surface } = turn?.prompt.from ?? { surface: source };
    const isInChat = surface === "chat";
    const origin = `Asked from ${isInChat ? source : placeWords(surface)}, in \`${sessionId}\``;
    return questions.flatMap(({ request, askedAt }) =>
      request.type === "approval.request" ? [{ request, sessionId, askedAt, isInChat, origin }] : [],
    );
  });
}
