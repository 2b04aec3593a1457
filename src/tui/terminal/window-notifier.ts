import type { SessionController } from "../session-controller.ts";
import type { AppState } from "../state/app-state.ts";
import type { Question, ViewState } from "../state/view-state.ts";
import { joinFacts } from "../text/facts.ts";
import type { Attention, TerminalControl } from "./terminal-control.ts";

/** A turn that took less was watched, in milliseconds. */
const LONG_TURN_MS = 5000;

/** Says outside of the window what happens in it: in its title, and by a sign when somebody is wanted who looks elsewhere. */
export class WindowNotifier {
  readonly #control: TerminalControl;
  #before: ViewState | undefined;
  #attention: Attention = "bell";
  #showsTitle = false;

  constructor(control: TerminalControl) {
    this.#control = control;
  }

  /** Learns how much of it is wanted. */
  async learn(controller: SessionController): Promise<void> {
    const [title, bell] = await Promise.all([
      controller.request("config.get", { key: "terminal_title" }),
      controller.request("config.get", { key: "bell" }),
    ]);
    this.#showsTitle = title.value !== "off";
    this.#attention = ATTENTIONS.find((each) => each === bell.value) ?? "bell";
  }

  /** Called after each change. */
  follow({ view, now }: AppState): void {
    const before = this.#before;
    if (before === view) return;
    this.#before = view;
    if (this.#showsTitle && view.session !== undefined) this.#control.title(titleOf(view));
    const [question] = view.questions;
    if (question !== undefined && idOf(question) !== idOf(before?.questions[0]))
      this.#control.attention(this.#attention, `Waiting for your answer: ${nameOf(view)}`);
    const turn = before?.turn;
    if (turn !== undefined && view.turn === undefined && now - turn.startedAt >= LONG_TURN_MS)
      this.#control.attention(this.#attention, `Done: ${nameOf(view)}`);
  }
}

const ATTENTIONS = ["off", "bell", "notify"] as const;

const idOf = (question: Question | undefined): string | undefined => question?.request.params.request_id;

/** What a title says first is what can be read in a narrow tab. */
function titleOf(view: ViewState): string {
  const mark = view.questions.length > 0 ? "? " : view.turn === undefined ? "" : "* ";
  return `${mark}${nameOf(view)}`;
}

function nameOf({ session, skin }: ViewState): string {
  const info = session?.info;
  const folder = info?.cwd.split(/[/\\]/).at(-1) ?? "";
  const title = info?.title ?? "";
  const agent = skin?.branding["agent_name"] ?? "agent";
  return joinFacts(title === "" ? agent : title, folder);
}
