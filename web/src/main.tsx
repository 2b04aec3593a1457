import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./design/tokens.css";
import "./design/base.css";
import { router } from "./router.tsx";
import { SignInGate } from "./pages/sign-in/sign-in-gate.tsx";

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 2000 } } });
const root = document.querySelector("#root");

if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <SignInGate>
          <RouterProvider router={router} />
        </SignInGate>
      </QueryClientProvider>
    </StrictMode>,
  );
