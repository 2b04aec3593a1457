import type { UpdateState } from "../../../../src/dashboard/api/update-routes.ts";
import { useUpdates } from "../../client/updates.ts";
import { Badge, type Tone } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import { Ago } from "../../design/time.tsx";

type Progress = NonNullable<UpdateState["last"]>;

const STEPS: Readonly<Record<Progress["step"], string>> = {
  "back-up": "Backing up the home",
  install: "Installing beside what runs",
  try: "Trying it on a copy of the home",
  switch: "Switching",
  restart: "Starting anew",
};

const OUTCOMES: Readonly<Record<NonNullable<Progress["outcome"]>, readonly [Tone, string]>> = {
  done: ["good", "Done"],
  failed: ["bad", "Not done"],
  "went-back": ["warn", "Went back"],
};

/** The installed version, a newer one, and the way to it. */
export function Update() {
  const { state, look, begin } = useUpdates();
  const { data } = state;
  const isRunning = data?.last?.running === true;
  return (
    <Panel
      title="Update"
      actions={
        data?.commands !== undefined || data === undefined ? undefined : data.available && !isRunning ? (
          <Confirm
            trigger={<Button look="primary">Update to {data.newest}</Button>}
            title={`Update to ${data.newest ?? ""}?`}
            action="Update"
            onConfirm={() => begin.mutate(data.last?.at)}
          >
            <p>
              The home is backed up, the new version installed beside this one and tried on a copy. Then open
              turns end, and the agent starts anew with it. It goes back when that is not healthy within a
              minute.
            </p>
          </Confirm>
        ) : (
          <Button disabled={look.isPending || isRunning} onClick={() => look.mutate()}>
            {look.isPending ? "Asking …" : "Look for a newer version"}
          </Button>
        )
      }
    >
      <Fault error={look.error ?? begin.error ?? (isRunning ? null : state.error)} />
      {data === undefined ? null : <State {...data} />}
    </Panel>
  );
}

function State({ version, newest, asked_at: askedAt, fault, available, commands, last }: UpdateState) {
  return (
    <Facts
      facts={[
        ["Installed", version],
        ["Newest", commands === undefined ? newestText({ newest, available, fault }) : undefined],
        ["Asked", askedAt === undefined ? undefined : <Ago key="asked" at={askedAt} />],
        ["Last update", last === undefined ? undefined : <Last key="last" {...last} />],
        ["This is a checkout", commands && <code key="commands">{commands.join("\n")}</code>],
      ]}
    />
  );
}

function newestText({
  newest,
  available,
  fault,
}: {
  readonly newest: string | undefined;
  readonly available: boolean;
  readonly fault: string | undefined;
}): string {
  if (fault !== undefined) return `Not known: ${fault}`;
  if (newest === undefined) return "Not asked yet";
  return available ? `${newest} is there` : "This is the newest one";
}

function Last({ to, step, at, running, outcome, message }: Progress) {
  const [tone, words] = outcome === undefined ? (["bad", "Killed"] as const) : OUTCOMES[outcome];
  return (
    <span role="status">
      To {to}: <Badge tone={running ? "busy" : tone}>{running ? STEPS[step] : words}</Badge> <Ago at={at} />{" "}
      {message ?? ""}
    </span>
  );
}
