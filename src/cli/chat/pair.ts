import { CHAT_PLATFORMS, dismissPerson, pairedPeople, Pairing } from "../../chat/index.ts";
import type { Records } from "../../core/index.ts";
import { FROM_HERE, peopleChanges } from "../../app/people/people-changes.ts";
import { openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

interface Wanted {
  readonly code?: string;
  /** `<platform>:<id>`. */
  readonly remove?: string;
  readonly people?: boolean | undefined;
  readonly refuse?: boolean | undefined;
  /** A user on the roster, by id, mobile number or linked identity. */
  readonly user?: string;
  readonly json: boolean;
}

/** `agent pair`. @throws HostError `not_found`, `conflict` */
export async function pair(io: Io, { code, remove, people, refuse, user, json }: Wanted): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const { records } = agent.store;
  if (remove !== undefined) return await letOut(io, records, remove);
  if (people === true) return await listPeople(io, records, json);
  const pairing = new Pairing(agent.store.records, agent.host.services.clock);
  if (code !== undefined) {
    const whose = user === undefined ? undefined : await agent.people.roster.named(user);
    const { platform, person } = await (refuse === true
      ? pairing.refuse(code)
      : peopleChanges(agent, FROM_HERE).letIn(pairing, code, whose?.id));
    if (json) return await printJson(io, { platform, person });
    const what = refuse === true ? "is not let in by that code" : "may talk to the agent now";
    return await write(
      io.stdout,
      `${forTerminalLine(`${person.name} (${platform} ${person.id})`)} ${what}.\n`,
    );
  }
  const open = await pairing.open();
  if (json) return await printJson(io, open);
  const lines = open.map(({ code: each, platform, person, expiresAt }) =>
    forTerminalLine(`${each}  ${platform}  ${person.name} (${person.id})  until ${localTime(expiresAt)}`),
  );
  await write(io.stdout, `${lines.length === 0 ? "No pairing code is open." : lines.join("\n")}\n`);
}

async function listPeople(io: Io, records: Records, json: boolean): Promise<void> {
  const found = await Promise.all(
    CHAT_PLATFORMS.map(async ({ name: platform }) =>
      (await pairedPeople(records, platform)).map((person) => ({ platform, ...person })),
    ),
  );
  if (json) return await printJson(io, found.flat());
  const lines = found
    .flat()
    .map(({ platform, id, name, pairedAt }) =>
      forTerminalLine(`${platform}:${id}  ${name}  since ${localTime(pairedAt)}`),
    );
  await write(io.stdout, `${lines.length === 0 ? "Nobody was let in by a code." : lines.join("\n")}\n`);
}

/** @throws HostError `not_found` */
async function letOut(io: Io, records: Records, who: string): Promise<void> {
  const [platform = "", ...rest] = who.split(":");
  if (!(await dismissPerson(records, platform, rest.join(":"))))
    throw new HostError(
      "not_found",
      `${JSON.stringify(who)} was not let in by a code. \`agent pair --people\` lists who was, as <platform>:<id>; those whom the configuration allows are in platforms.<name>.extra.allow.`,
    );
  await write(io.stdout, `${forTerminalLine(who)} was let in by a code, and is not any more.\n`);
}
