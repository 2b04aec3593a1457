import { useState } from "react";
import { Button } from "../design/button.tsx";

const SCHEMES = ["system", "light", "dark"] as const;
type Scheme = (typeof SCHEMES)[number];

/** Changes between the system's colours, light and dark; the browser keeps the choice. */
export function SchemeButton() {
  const [scheme, setScheme] = useState<Scheme>(() => chosenScheme());
  const next = SCHEMES[(SCHEMES.indexOf(scheme) + 1) % SCHEMES.length] ?? "system";
  return (
    <Button
      look="quiet"
      onClick={() => {
        chooseScheme(next);
        setScheme(next);
      }}
    >
      Colours: {scheme}
    </Button>
  );
}

function chosenScheme(): Scheme {
  const chosen = document.documentElement.dataset["scheme"];
  return SCHEMES.find((scheme) => scheme === chosen) ?? "system";
}

function chooseScheme(scheme: Scheme): void {
  if (scheme === "system") {
    delete document.documentElement.dataset["scheme"];
    localStorage.removeItem("scheme");
    return;
  }
  document.documentElement.dataset["scheme"] = scheme;
  localStorage.setItem("scheme", scheme);
}
