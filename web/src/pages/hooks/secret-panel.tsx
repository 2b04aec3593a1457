import { Panel } from "../../design/panel.tsx";
import { Body } from "./body.tsx";

/** The secret of an address, which is shown this once. */
export const SecretPanel = ({ secret }: { readonly secret: string }) => (
  <Panel title="Secret">
    <p role="status">
      Copy it now: it is not shown again. The other side checks signatures of Standard Webhooks with it.
    </p>
    <Body text={secret} />
  </Panel>
);
