import type { UserPart } from "./content.ts";
import type { ToolCall } from "./reply.ts";

/** The surfaces that can hold a session; toolsets and policies are resolved for one of them. */
export type Platform = "cli" | "tui" | "acp" | "api_server" | "webhook" | "job" | "chat" | "app" | "library";

/** The sender of something: the surface, and the connection or client on it; of a chat, the platform and the person's stable id there, `telegram:42`. */
export interface Origin {
  readonly surface: string;
  readonly client?: string;
}

/** Surfaces at which the home's owner sits. */
const OWN: ReadonlySet<string> = new Set(["gateway", "tui", "cli", "acp"]);

/** The name under which reports add up what somebody sent: `telegram:42`, `owner`, or the surface where nobody is known. */
export function senderName({ surface, client = "" }: Origin): string {
  if (surface === "chat" && client !== "") return client;
  if (surface === "app" && client !== "") return `user:${client}`;
  if (surface === "dashboard") return `dashboard:${client}`;
  return OWN.has(surface) ? "owner" : surface;
}

/** The name under which reports add up a prompt's turn: the person's it is for, else its sender's. */
export const personName = ({ person, from }: Pick<Prompt, "person" | "from">): string =>
  person ?? senderName(from);

/** The treatment of a turn's questions: asked, or refused with a reason that the model is told. */
export type QuestionPolicy =
  | {
      readonly mode: "ask";
      /** Kinds that cannot be shown where the prompt came from, with the reason that the model is told. */
      readonly refuse?: Readonly<Partial<Record<"clarify" | "sudo" | "secret", string>>>;
    }
  | { readonly mode: "refuse"; readonly reason: string };

/** A message from elsewhere, as a client tells it. */
export type GivenMessage =
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls?: readonly ToolCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly text: string };

/** The id that the text of a prompt has when it goes into a turn that runs. */
export const steerIdOf = (promptId: string): string => `steer_${promptId}`;

/** A prompt as it was accepted. */
export interface Prompt {
  readonly id: string;
  readonly parts: readonly UserPart[];
  readonly from: Origin;
  readonly questions: QuestionPolicy;
  /** Instructions for this prompt's turn only, layered on the session's. */
  readonly instructions?: string;
  /** Messages from elsewhere that come before it; they become a `history.given` when its turn starts. */
  readonly before?: readonly GivenMessage[];
  /** The user whose memory this prompt's turn reads and writes; the session's own by default. */
  readonly memoryScope?: string;
  /** The name of whose prompt it is, where the sender's does not say it: `user:<id>` of somebody on the roster. */
  readonly person?: string;
  /** Model calls that its turn may make, where that is fewer than the owner allows. */
  readonly iterations?: number;
  /** The model gets no tools in its turn; the session's by default. */
  readonly tools?: "none";
  /** Its sender sits at the terminal of the process that takes it: queued there, it does not outlive that process unasked. */
  readonly attended?: true;
}
