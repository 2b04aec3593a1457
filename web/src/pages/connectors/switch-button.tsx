import type { ConnectorRow } from "../../../../src/dashboard/api/connector-routes.ts";
import { useConnectorAction } from "../../client/connectors.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";

/** Switches a connector on or off, at once and for good. */
export function SwitchButton({ row: { platform, title, enabled, fixed } }: { readonly row: ConnectorRow }) {
  const change = useConnectorAction<unknown, { readonly enabled: boolean }>(platform, "switch");
  return (
    <>
      <Button
        aria-label={`Switch ${enabled ? "off" : "on"} ${title}`}
        title={fixed}
        disabled={change.isPending || fixed !== undefined}
        onClick={() => change.mutate({ enabled: !enabled })}
      >
        {enabled ? "Switch off" : "Switch on"}
      </Button>
      <Fault error={change.error} />
    </>
  );
}
