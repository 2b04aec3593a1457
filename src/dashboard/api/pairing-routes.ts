import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import type { AuditDraft } from "../audit/audit-log.ts";
import {
  actorAt,
  bodyOf,
  type DashboardApi,
  type DashboardRoute,
  Done,
  noteAt,
  reads,
} from "./dashboard-api.ts";

const person = { platform: z.string(), person_id: z.string(), name: z.string() };

const PairingRequest = z
  .object({ ...person, code: z.string(), expires_at: z.number().describe("Unix seconds") })
  .meta({ title: "PairingRequest" });

const PairedPerson = z
  .object({ ...person, paired_at: z.number().describe("Unix seconds") })
  .meta({ title: "PairedPerson" });

const Pairings = z
  .object({ open: z.array(PairingRequest), people: z.array(PairedPerson) })
  .meta({ title: "Pairings" });

const Decision = z
  .object({
    code: z.string().trim().min(1).max(20),
    let_in: z.boolean(),
    user: z
      .string()
      .max(100)
      .exactOptional()
      .describe("Id of the user to whom the person's identity is linked"),
  })
  .meta({ title: "PairingDecision" });

const LetOut = z
  .object({ platform: z.string().max(100), person_id: z.string().max(400) })
  .meta({ title: "LetPersonOut" });

/** The decision of an operator about a code. */
export type PairingDecision = z.output<typeof Decision>;

/** People who asked to be let in, and those who were. */
export type Pairings = z.output<typeof Pairings>;

/** The pairing of a home. */
export interface PairingPort {
  list(): Promise<Pairings>;
  /**
   * Lets the person of a code in, as a user where one is given, or refuses them; gives who it is.
   *
   * @throws HostError `not_found`, `conflict` for an identity of another user's: then nobody is let in
   */
  decide(
    decision: PairingDecision,
    by: Pick<AuditDraft, "who" | "from">,
  ): Promise<{ readonly platform: string; readonly person_id: string }>;
  /** @throws HostError `not_found` */
  letOut(platform: string, personId: string): Promise<void>;
}

const ALL = "/dashboard/api/pairing";

/** Declares the pairing of people on chat platforms. */
export const pairingRoutes = (pairing: PairingPort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, () => pairing.list(), {
    id: "listPairings",
    summary: "Who asked to be let in on chat platforms, and who was let in by a code",
    answer: Pairings,
  }),
  route(
    `POST ${ALL}/decide`,
    async (c, api: DashboardApi) => {
      const decision = await bodyOf(c, Decision);
      const { platform, person_id: id } = await pairing.decide(decision, actorAt(c));
      const action = decision.let_in ? "person.let-in" : "person.refused";
      await noteAt(c, api, { action, subject: `${platform}:${id}` });
      return c.json({ ok: true });
    },
    { id: "decidePairing", summary: "Let somebody in, or refuse them", body: Decision, answer: Done },
  ),
  route(
    `POST ${ALL}/let-out`,
    async (c, api: DashboardApi) => {
      const { platform, person_id: id } = await bodyOf(c, LetOut);
      await pairing.letOut(platform, id);
      await noteAt(c, api, { action: "person.let-out", subject: `${platform}:${id}` });
      return c.json({ ok: true });
    },
    { id: "letPersonOut", summary: "Take back what a code had allowed", body: LetOut, answer: Done },
  ),
];
