import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { defined } from "../../shared/json/defined.ts";
import { signInCookie } from "../server/cookie.ts";
import { sessionAt } from "../server/page-access.ts";
import { arrivalAt, visitorAt } from "../server/visitor.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt } from "./dashboard-api.ts";

const LONGEST = 400;
const text = z.string().max(LONGEST);

const Way = z.enum(["password", "recovery code", "address", "activation", "openid"]);

/** Who is signed in, and what a page of the sign-in is to ask. */
export const SignInState = z
  .object({
    /** What signing in takes here; `address` is the one that `agent dashboard` prints. */
    asks: z.enum(["sign-in", "activate", "address"]),
    operator: z.string().exactOptional(),
    way: Way.exactOptional(),
    /** There is a password: one can sign in from elsewhere. */
    has_account: z.boolean(),
    /** The identity provider at which one can sign in, too. */
    provider: z.string().exactOptional(),
  })
  .meta({ title: "SignInState" });

const PasswordSignIn = z
  .object({ password: text, code: text })
  .meta({ title: "PasswordSignIn", description: "The operator's password and the authenticator's code." });
const AddressSignIn = z.object({ code: text }).meta({ title: "AddressSignIn" });
const ActivationDraft = z
  .object({ activation_code: text, licence: text, password: text, mobile: text })
  .meta({ title: "Activation" });
const AccountDraftBody = z.object({ password: text }).meta({ title: "AccountDraft" });
const FinishBody = z.object({ draft: text, code: text }).meta({ title: "AccountCode" });

/** What an operator is shown once. */
export const BegunAccountWire = z
  .object({
    draft: z.string(),
    secret: z.string(),
    uri: z.string(),
    svg: z.string(),
    recovery_codes: z.array(z.string()),
  })
  .meta({ title: "BegunAccount" });

const SignedIn = z
  .object({
    id: z.string(),
    who: z.string(),
    way: Way,
    created_at: z.number(),
    seen_at: z.number(),
    address: z.string(),
    browser: z.string(),
    current: z.boolean(),
  })
  .meta({ title: "SignedIn" });

/** Everybody who is signed in. */
export const SignedInList = z.object({ data: z.array(SignedIn) }).meta({ title: "SignedInList" });

/** Declares the routes of signing in and out. */
export const SIGN_IN_ROUTES: readonly DashboardRoute[] = [
  route(
    "GET /dashboard/api/sign-in",
    async (c, { signIn }: DashboardApi) => {
      const session = sessionAt(c);
      const asks = await signIn.state();
      const { provider } = signIn;
      const state = { asks, has_account: asks === "sign-in", ...defined({ provider }) };
      return c.json(session === undefined ? state : { ...state, operator: session.who, way: session.way });
    },
    {
      id: "signInState",
      summary: "Who is signed in, and what signing in takes",
      answer: SignInState,
      open: true,
    },
  ),
  route(
    "POST /dashboard/api/sign-in",
    async (c, { signIn }: DashboardApi) => {
      const { password, code } = await bodyOf(c, PasswordSignIn);
      return entered(c, await signIn.withPassword(password, code, visitorAt(c)));
    },
    {
      id: "signIn",
      summary: "Sign in with password and code",
      body: PasswordSignIn,
      answer: Done,
      open: true,
    },
  ),
  route(
    "POST /dashboard/api/sign-in/address",
    async (c, { signIn }: DashboardApi) => {
      const { code } = await bodyOf(c, AddressSignIn);
      return entered(c, await signIn.withAddress(code, visitorAt(c)));
    },
    {
      id: "signInByAddress",
      summary: "Sign in with the address that `agent dashboard` printed",
      body: AddressSignIn,
      answer: Done,
      open: true,
    },
  ),
  route(
    "POST /dashboard/api/activation",
    async (c, { signIn }: DashboardApi) => {
      const { activation_code: activationCode, ...more } = await bodyOf(c, ActivationDraft);
      return c.json(begun(await signIn.beginActivation({ activationCode, ...more }, visitorAt(c))));
    },
    {
      id: "beginActivation",
      summary: "Activate a Box: its code, its licence, a password, a mobile number",
      body: ActivationDraft,
      answer: BegunAccountWire,
      open: true,
    },
  ),
  route(
    "POST /dashboard/api/activation/finish",
    async (c, { signIn }: DashboardApi) => {
      const confirmation = await bodyOf(c, FinishBody);
      const session = sessionAt(c)?.id;
      return entered(c, await signIn.finish({ ...confirmation, ...defined({ session }) }, visitorAt(c)));
    },
    {
      id: "finishAccount",
      summary: "End an activation, or the making of a password, with the authenticator's first code",
      body: FinishBody,
      answer: Done,
      open: true,
    },
  ),
  route(
    "POST /dashboard/api/account",
    async (c, { signIn }: DashboardApi) => {
      const { password } = await bodyOf(c, AccountDraftBody);
      return c.json(begun(await signIn.beginAccount(password, sessionAt(c)?.id ?? "")));
    },
    {
      id: "beginAccount",
      summary: "Give the operator a password, to sign in from elsewhere",
      body: AccountDraftBody,
      answer: BegunAccountWire,
    },
  ),
  route(
    "POST /dashboard/api/sign-out",
    async (c, { signIn }: DashboardApi) => {
      const session = sessionAt(c);
      if (session !== undefined) await signIn.end(session, visitorAt(c));
      c.header("set-cookie", signInCookie("", arrivalAt(c)));
      return c.json({ ok: true });
    },
    { id: "signOut", summary: "Sign out", answer: Done },
  ),
  route(
    "GET /dashboard/api/signed-in",
    async (c, { sessions }: DashboardApi) => {
      const current = sessionAt(c)?.id;
      const data = (await sessions.list()).map(({ createdAt, seenAt, ...each }) => ({
        ...each,
        created_at: Math.floor(createdAt / 1000),
        seen_at: Math.floor(seenAt / 1000),
        current: each.id === current,
      }));
      return c.json({ data });
    },
    { id: "listSignedIn", summary: "Who is signed in, newest first", answer: SignedInList },
  ),
  route(
    "DELETE /dashboard/api/signed-in/{sign_in_id}",
    async (c, api: DashboardApi, id) => {
      const ended = await api.sessions.end(id);
      if (ended) await noteAt(c, api, { action: "sign-in.ended", subject: id });
      return c.json({ ok: true });
    },
    { id: "endSignedIn", summary: "Sign somebody out", answer: Done },
  ),
];

function entered(c: HttpContext, token: string): Response {
  c.header("set-cookie", signInCookie(token, arrivalAt(c)));
  return c.json({ ok: true });
}

const begun = ({
  recoveryCodes,
  ...more
}: Awaited<ReturnType<DashboardApi["signIn"]["beginAccount"]>>): z.output<typeof BegunAccountWire> => ({
  ...more,
  recovery_codes: [...recoveryCodes],
});
