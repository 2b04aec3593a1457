import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt } from "./dashboard-api.ts";

const SwitchSkill = z.object({ enabled: z.boolean() }).meta({ title: "SwitchSkill" });

/** A function that switches a skill on or off; gives its name. @throws HostError `not_found` */
export type TurnSkill = (name: string, on: boolean) => Promise<string>;

/** Declares the switch of a skill; the gateway has all else of them. */
export const skillRoutes = (turn: TurnSkill): readonly DashboardRoute[] => [
  route(
    "POST /dashboard/api/skills/{skill_id}/switch",
    async (c, api: DashboardApi, id) => {
      const { enabled } = await bodyOf(c, SwitchSkill);
      const name = await turn(id, enabled);
      await noteAt(c, api, { action: "skill.switched", subject: name, after: { enabled } });
      return c.json({ ok: true });
    },
    { id: "switchSkill", summary: "Switch a skill on or off", body: SwitchSkill, answer: Done },
  ),
];
