import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Shell } from "./layout/shell.tsx";
import { NotFound } from "./layout/not-found.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/home/home.tsx"), "Home"),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  component: lazyRouteComponent(() => import("./pages/sessions/sessions.tsx"), "Sessions"),
});
const session = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$id",
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
  component: lazyRouteComponent(() => import("./pages/system/system.tsx"), "System"),
});

/** The addresses of all pages; each page is loaded when it is opened. */
export const router = createRouter({
  routeTree: root.addChildren([home, sessions, session, approvals, system]),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
