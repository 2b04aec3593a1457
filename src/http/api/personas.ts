import { type ApiRoute, route } from "../server/api-route.ts";
import type { ApiContext } from "../turns/api-context.ts";
import { personaNames } from "../turns/persona-choice.ts";

/** The route of the personas that a session can have. */
export const PERSONA_ROUTES: readonly ApiRoute<ApiContext>[] = [
  route(
    "GET /api/personas",
    async (c, { host }) => {
      const names = await personaNames(host);
      return c.json({ object: "list", data: names.map((name) => ({ object: "agent.persona", name })) });
    },
    { id: "listPersonas", summary: "The personas that a session can have", endpoint: "personas" },
  ),
];
