import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Shell } from "./layout/shell.tsx";
import { readFilters } from "./layout/filters.ts";
import { NotFound } from "./layout/not-found.tsx";

/** The row of a session's log that its page is opened at, as a search has found it. */
const readPlace = ({ at }: Readonly<Record<string, unknown>>): { readonly at?: number } =>
  typeof at === "number" && Number.isSafeInteger(at) ? { at } : {};

/** The persona that a new one begins as a copy of. */
const readCopied = ({ copy }: Readonly<Record<string, unknown>>): { readonly copy?: string } =>
  typeof copy === "string" || typeof copy === "number" ? { copy: String(copy) } : {};

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/home/home.tsx"), "Home"),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/sessions/sessions.tsx"), "Sessions"),
});
const session = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$id",
  validateSearch: readPlace,
  component: lazyRouteComponent(() => import("./pages/session/session.tsx"), "Session"),
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: "/approvals",
  component: lazyRouteComponent(() => import("./pages/approvals/approvals.tsx"), "Approvals"),
});
const system = createRoute({
  getParentRoute: () => root,
  path: "/system",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/system/system.tsx"), "System"),
});

const connectors = createRoute({
  getParentRoute: () => root,
  path: "/connectors",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/connectors/connectors.tsx"), "Connectors"),
});
const connector = createRoute({
  getParentRoute: () => root,
  path: "/connectors/$platform",
  component: lazyRouteComponent(() => import("./pages/connectors/connector.tsx"), "ConnectorPage"),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/jobs/jobs.tsx"), "Jobs"),
});
const newJob = createRoute({
  getParentRoute: () => root,
  path: "/jobs/new",
  component: lazyRouteComponent(() => import("./pages/jobs/job-form.tsx"), "NewJob"),
});
const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$id",
  component: lazyRouteComponent(() => import("./pages/jobs/job.tsx"), "JobPage"),
});
const editJob = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$id/edit",
  component: lazyRouteComponent(() => import("./pages/jobs/job-form.tsx"), "EditJob"),
});
const hooks = createRoute({
  getParentRoute: () => root,
  path: "/hooks",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/hooks/outgoing.tsx"), "Outgoing"),
});
const newAddress = createRoute({
  getParentRoute: () => root,
  path: "/hooks/new",
  component: lazyRouteComponent(() => import("./pages/hooks/address-form.tsx"), "NewAddress"),
});
const address = createRoute({
  getParentRoute: () => root,
  path: "/hooks/addresses/$id",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/hooks/address.tsx"), "AddressPage"),
});
const editAddress = createRoute({
  getParentRoute: () => root,
  path: "/hooks/addresses/$id/edit",
  component: lazyRouteComponent(() => import("./pages/hooks/address-form.tsx"), "EditAddress"),
});
const sentEvent = createRoute({
  getParentRoute: () => root,
  path: "/hooks/sent/$id",
  component: lazyRouteComponent(() => import("./pages/hooks/sent-event.tsx"), "SentEventPage"),
});
const incoming = createRoute({
  getParentRoute: () => root,
  path: "/hooks/incoming",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/hooks/incoming.tsx"), "Incoming"),
});
const call = createRoute({
  getParentRoute: () => root,
  path: "/hooks/calls/$id",
  component: lazyRouteComponent(() => import("./pages/hooks/call.tsx"), "CallPage"),
});
const personas = createRoute({
  getParentRoute: () => root,
  path: "/personas",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/personas/personas.tsx"), "Personas"),
});
const newPersona = createRoute({
  getParentRoute: () => root,
  path: "/personas/new",
  validateSearch: readCopied,
  component: lazyRouteComponent(() => import("./pages/personas/persona.tsx"), "NewPersona"),
});
const persona = createRoute({
  getParentRoute: () => root,
  path: "/personas/edit/$name",
  component: lazyRouteComponent(() => import("./pages/personas/persona.tsx"), "PersonaPage"),
});
const models = createRoute({
  getParentRoute: () => root,
  path: "/models",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/models/models.tsx"), "Models"),
});
const skills = createRoute({
  getParentRoute: () => root,
  path: "/skills",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/skills/skills.tsx"), "Skills"),
});
const skill = createRoute({
  getParentRoute: () => root,
  path: "/skills/$name",
  component: lazyRouteComponent(() => import("./pages/skills/skill.tsx"), "Skill"),
});
const memory = createRoute({
  getParentRoute: () => root,
  path: "/memory",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/memory/memory.tsx"), "Memory"),
});
const kb = createRoute({
  getParentRoute: () => root,
  path: "/kb",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/kb/kb.tsx"), "KnowledgeBase"),
});
const kbSearch = createRoute({
  getParentRoute: () => root,
  path: "/kb/search",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/kb/search.tsx"), "KbSearch"),
});
const kbSource = createRoute({
  getParentRoute: () => root,
  path: "/kb/sources/new",
  component: lazyRouteComponent(() => import("./pages/kb/source-form.tsx"), "NewSource"),
});
const kbDocument = createRoute({
  getParentRoute: () => root,
  path: "/kb/documents/$id",
  component: lazyRouteComponent(() => import("./pages/kb/document.tsx"), "KbDocumentPage"),
});

const users = createRoute({
  getParentRoute: () => root,
  path: "/users",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/users/users.tsx"), "Users"),
});
const newUser = createRoute({
  getParentRoute: () => root,
  path: "/users/new",
  component: lazyRouteComponent(() => import("./pages/users/user-form.tsx"), "NewUser"),
});
const importUsers = createRoute({
  getParentRoute: () => root,
  path: "/users/import",
  component: lazyRouteComponent(() => import("./pages/users/import-users.tsx"), "ImportUsers"),
});
const user = createRoute({
  getParentRoute: () => root,
  path: "/users/$id",
  component: lazyRouteComponent(() => import("./pages/users/user.tsx"), "UserPage"),
});
const editUser = createRoute({
  getParentRoute: () => root,
  path: "/users/$id/edit",
  component: lazyRouteComponent(() => import("./pages/users/user-form.tsx"), "EditUser"),
});

/** The addresses of all pages; each page is loaded when it is opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    sessions,
    session,
    approvals,
    connectors,
    connector,
    jobs,
    newJob,
    job,
    editJob,
    hooks,
    newAddress,
    address,
    editAddress,
    sentEvent,
    incoming,
    call,
    personas,
    newPersona,
    persona,
    models,
    skills,
    skill,
    memory,
    users,
    newUser,
    importUsers,
    user,
    editUser,
    kb,
    kbSearch,
    kbSource,
    kbDocument,
    system,
  ]),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
