import { useRestart, useSystemState } from "../../client/system.ts";
import { Button } from "../../design/button.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import { Ago } from "../../design/time.tsx";

/** What runs here, and since when; it can be started anew. */
export function Installation() {
  const { data: state, error } = useSystemState();
  const { restart, isRestarting } = useRestart();
  return (
    <Panel
      title="Installation"
      actions={
        state === undefined || state.no_restart !== undefined ? undefined : (
          <Confirm
            trigger={<Button disabled={isRestarting}>{isRestarting ? "Restarting …" : "Restart"}</Button>}
            title="Restart the agent?"
            action="Restart"
            onConfirm={() => restart.mutate(state.started_at)}
          >
            <p>
              {state.running === 0
                ? "No turn runs here now."
                : `Turns that run here: ${state.running}. They get the time to end that gateway.drain_timeout gives them.`}{" "}
              Then the program starts anew, with the same arguments. What waits goes on afterwards.
            </p>
          </Confirm>
        )
      }
    >
      <Fault error={restart.error ?? (isRestarting ? null : error)} />
      {isRestarting ? (
        <p role="status">Open turns end, then the program starts anew. This page waits for it.</p>
      ) : null}
      {state === undefined ? null : (
        <Facts
          facts={[
            ["Runs since", <Ago key="since" at={state.started_at} />],
            ["Process", `${state.pid}, Node ${state.node}`],
            ["Home", state.home],
            ["Restart", state.no_restart],
          ]}
        />
      )}
    </Panel>
  );
}
