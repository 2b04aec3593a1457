import { CHAT_PLATFORMS, dismissPerson, pairedPeople, Pairing } from "../../chat/index.ts";
import type { PairingPort } from "../../dashboard/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Agent } from "../compose.ts";
import { peopleChanges } from "../people/people-changes.ts";

/** The pairing of people on chat platforms, for the dashboard. */
export function pairingPages(agent: Agent): PairingPort {
  const { records } = agent.store;
  const { host } = agent;
  const pairing = new Pairing(records, host.services.clock);
  return {
    async list() {
      const open = await pairing.open();
      const people = await Promise.all(
        CHAT_PLATFORMS.map(async ({ name: platform }) =>
          (await pairedPeople(records, platform)).map(({ id, name, pairedAt }) => ({
            platform,
            person_id: id,
            name,
            paired_at: pairedAt / 1000,
          })),
        ),
      );
      return {
        open: open.map(({ code, platform, person, expiresAt }) => ({
          code,
          platform,
          person_id: person.id,
          name: person.name,
          expires_at: expiresAt / 1000,
        })),
        people: people.flat(),
      };
    },
    async decide({ code, let_in: letIn, user }, by) {
      const { platform, person } = letIn
        ? await peopleChanges(agent, by).letIn(pairing, code, user)
        : await pairing.refuse(code);
      return { platform, person_id: person.id };
    },
    async letOut(platform, personId) {
      if (await dismissPerson(records, platform, personId)) return;
      throw new HostError("not_found", `${platform}:${personId} was not let in by a code.`);
    },
  };
}
