import { defined } from "../shared/json/defined.ts";
import type { AskedRequest, Gateway } from "./gateway.ts";

interface GivenAnswer {
  readonly request: AskedRequest;
  readonly value: string;
  /** Words beside a denial, for the model. */
  readonly note: string | undefined;
}

/** Sends an answer with the method of its question. Resolves with what is to be said of it, if anything. */
export async function respond(
  send: Gateway["request"],
  { request, value, note }: GivenAnswer,
): Promise<string | undefined> {
  const { request_id, session_id } = request.params;
  switch (request.method) {
    case "approval": {
      const [word, scope] = value.split(" ", 2);
      const choice = request.params.choices.find((each) => each === word) ?? "deny";
      await send("approval.respond", {
        session_id,
        request_id,
        choice,
        ...defined({ scope, note: note === "" ? undefined : note }),
      });
      return undefined;
    }
    case "trust":
      await send("workspace.trust", { session_id, trusted: value === "once" });
      return value === "once"
        ? "This folder is trusted from now on."
        : "This folder is not trusted; its files are left out.";
    case "clarify":
      await send("clarify.respond", { request_id, answer: value });
      return undefined;
    case "sudo":
      await send("sudo.respond", { request_id, password: value });
      return undefined;
    case "secret":
      await send("secret.respond", { request_id, value });
      return undefined;
  }
}
