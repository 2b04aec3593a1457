import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { PersonaFields, PersonaVersion } from "../../people/personas/index.ts";
import { sessionAt } from "../server/page-access.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";
import { hasWords, PAGE_QUERY, pageOfNames } from "./list-page.ts";

const Name = z.string().trim().min(1).max(400);

const Fields = PersonaFields.meta({ title: "PersonaFields" });

const PersonaRow = z
  .object({
    name: z.string(),
    source: z.enum(["edited", "config.yaml", "personality"]).describe("Where it is changed"),
    version: z.int().exactOptional(),
    fields: Fields,
    uses: z.array(
      z.object({
        kind: z.enum(["default", "platform", "channel", "user", "job"]),
        id: z.string().describe("Of a user or job its id; else the key in config.yaml that says so"),
        title: z.string(),
      }),
    ),
  })
  .meta({ title: "PersonaRow" });

/** A persona, with who uses it. */
export type PersonaRow = z.output<typeof PersonaRow>;

const Version = PersonaVersion.meta({ title: "PersonaVersion" });

const PersonaDetail = z
  .object({
    persona: PersonaRow.nullable().describe("null for one that was removed"),
    versions: z.array(Version).describe("The newest first"),
  })
  .meta({ title: "PersonaDetail" });

/** A persona with its versions. */
export type PersonaDetail = z.output<typeof PersonaDetail>;

const Known = z
  .object({ toolsets: z.array(z.string()), skills: z.array(z.string()), collections: z.array(z.string()) })
  .meta({ title: "PersonaChoices" });

/** Names that a persona can have in its lists. */
export type PersonaChoices = z.output<typeof Known>;

/** A page of the personas. */
export const PersonaPageWire = z
  .object({ data: z.array(PersonaRow), next: z.string().exactOptional() })
  .meta({ title: "PersonaPage" });

const Draft = z.object({ name: Name, fields: Fields }).meta({ title: "PersonaDraft" });
const Change = z
  .object({
    fields: Fields,
    version: z.int().min(0).describe("The version that was seen; 0 brings a removed one back"),
  })
  .meta({ title: "PersonaChange" });
const Removal = z.object({ version: z.int().min(1) }).meta({ title: "PersonaRemoval" });
const Trial = z
  .object({ ...Draft.shape, session_id: z.string().max(256).optional().describe("Go on in this trial") })
  .meta({ title: "PersonaTrial" });

/** The personas of a home. All but `list` and `choices` throw HostError `not_found`, `invalid_params`, `model_unknown`. */
export interface PersonaPort {
  list(): Promise<readonly PersonaRow[]>;
  get(name: string): Promise<PersonaDetail>;
  choices(): Promise<PersonaChoices>;
  /** @throws HostError `conflict` when somebody else changed it meanwhile, or it stands in config.yaml */
  save(
    name: string,
    fields: PersonaFields,
    seen: { readonly by: string; readonly version: number },
  ): Promise<PersonaRow>;
  /** @throws HostError `conflict` as `save`, and while somebody uses it */
  remove(name: string, seen: { readonly by: string; readonly version: number }): Promise<void>;
  /** Makes a session that is in no list and answers as a draft, or lets one answer so; gives its id. */
  tryOut(draft: z.output<typeof Trial>): Promise<string>;
  endTrial(sessionId: string): Promise<void>;
}

const ALL = "/dashboard/api/personas";
const ONE = `${ALL}/one/{name}` as const;

/** Declares the routes of the page of personas. */
export const personaPageRoutes = (personas: PersonaPort): readonly DashboardRoute[] => [
  reads(
    `GET ${ALL}`,
    async (c) => {
      const filter = c.req.query("q") ?? "";
      const wanted = (await personas.list()).filter(({ name, fields: { instructions, model = "" } }) =>
        hasWords(filter, [name, instructions, model]),
      );
      return pageOfNames(c, wanted, ({ name }) => name);
    },
    {
      id: "listDashboardPersonas",
      summary: "Personas with who uses them; `q` filters by name, instructions and model",
      answer: PersonaPageWire,
      query: [...PAGE_QUERY, "q"],
    },
  ),
  reads(`GET ${ALL}/choices`, () => personas.choices(), {
    id: "listPersonaChoices",
    summary: "The toolsets, skills and collections that a persona can name",
    answer: Known,
  }),
  reads(`GET ${ONE}`, (_c, _api, name) => personas.get(name), {
    id: "getPersona",
    summary: "A persona with its versions, also one that was removed",
    answer: PersonaDetail,
  }),
  ...changes(personas),
  ...trials(personas),
];

const changes = (personas: PersonaPort): readonly DashboardRoute[] => [
  route(
    `POST ${ALL}`,
    async (c, api: DashboardApi) => {
      const { name, fields } = await bodyOf(c, Draft);
      const persona = await personas.save(name, fields, { by: sessionAt(c)?.who ?? "", version: 0 });
      await noteAt(c, api, { action: "persona.created", subject: name, after: shortened(persona.fields) });
      return c.json({ persona });
    },
    { id: "createPersona", summary: "Make a persona", body: Draft, answer: One },
  ),
  route(
    `PATCH ${ONE}`,
    async (c, api: DashboardApi, name) => {
      const { fields, version } = await bodyOf(c, Change);
      const before = (await personas.get(name)).persona?.fields;
      const persona = await personas.save(name, fields, { by: sessionAt(c)?.who ?? "", version });
      const noted = { before: before && shortened(before), after: shortened(persona.fields) };
      await noteAt(c, api, { action: "persona.changed", subject: name, ...noted });
      return c.json({ persona });
    },
    { id: "changePersona", summary: "Change a persona that was seen", body: Change, answer: One },
  ),
  route(
    `DELETE ${ONE}`,
    async (c, api: DashboardApi, name) => {
      const { version } = await bodyOf(c, Removal);
      const before = (await personas.get(name)).persona?.fields;
      await personas.remove(name, { by: sessionAt(c)?.who ?? "", version });
      const noted = before && { before: shortened(before) };
      await noteAt(c, api, { action: "persona.removed", subject: name, ...noted });
      return c.json({ ok: true });
    },
    { id: "removePersona", summary: "Remove a persona that nobody uses", body: Removal, answer: Done },
  ),
];

const One = z.object({ persona: PersonaRow }).meta({ title: "OnePersona" });

const trials = (personas: PersonaPort): readonly DashboardRoute[] => [
  route(
    `POST ${ALL}/trials`,
    async (c) => c.json({ session_id: await personas.tryOut(await bodyOf(c, Trial)) }),
    {
      id: "tryPersona",
      summary: "A session that is in no list and answers as a draft that nobody saved",
      body: Trial,
      answer: z.object({ session_id: z.string() }).meta({ title: "PersonaTrialSession" }),
    },
  ),
  route(
    `DELETE ${ALL}/trials/{session_id}`,
    async (c, _api: DashboardApi, id) => {
      await personas.endTrial(id);
      return c.json({ ok: true });
    },
    { id: "endPersonaTrial", summary: "End a trial, and forget what was said in it", answer: Done },
  ),
];

const LONGEST_NOTED = 500;

/** The audit log says what changed; the whole text is in the versions. */
const shortened = (fields: PersonaFields) => ({
  ...fields,
  instructions:
    fields.instructions.length <= LONGEST_NOTED
      ? fields.instructions
      : `${fields.instructions.slice(0, LONGEST_NOTED).toWellFormed()}… (${fields.instructions.length} characters)`,
});
