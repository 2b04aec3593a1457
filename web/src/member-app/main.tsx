import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../design/tokens.css";
import "../design/base.css";
import "./app.css";
import { App } from "./app.tsx";

const root = document.querySelector("#root");

if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );

// Without it the app works as well, as long as there is a connection.
if ("serviceWorker" in navigator)
  navigator.serviceWorker.register("/app-worker.js", { scope: "/app" }).catch(() => undefined);
