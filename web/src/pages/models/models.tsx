import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ModelErrorRow, ModelRow, ProviderRow } from "../../../../src/dashboard/api/model-routes.ts";
import { ask } from "../../client/dashboard-api.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import { FilterBar } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { TryModel } from "./try-model.tsx";

/** The models of the home, what they cost, and what went wrong with them. */
export function Models() {
  const [chosen, choose] = useState<ModelRow>();
  return (
    <Page
      title="Models"
      about="Who answers: providers, their models, what they cost, and what went wrong with them."
    >
      <Providers />
      <FilterBar label="Filter models" />
      <ModelList onTry={choose} />
      {chosen === undefined ? null : (
        <TryModel
          key={`${chosen.provider}:${chosen.model}`}
          model={chosen}
          onClose={() => choose(undefined)}
        />
      )}
      <Errors />
    </Page>
  );
}

const REFRESH_MS = 10_000;

function Providers() {
  const { data, error } = useQuery({
    queryKey: ["/models/providers"],
    queryFn: async () =>
      (await ask<{ readonly data: readonly ProviderRow[] }>("GET", "/models/providers")).data,
    refetchInterval: REFRESH_MS,
  });
  const isDemo = data?.every(({ kind }) => kind === "demo") === true;
  return (
    <Panel title="Providers" flush>
      <Fault error={error} />
      <Table caption="Providers">
        <TableHead
          columns={["Provider", "State", "Host", "Signs in by", "Limit", { name: "Models", look: "right" }]}
        />
        <tbody>
          {(data ?? []).map((provider) => (
            <tr key={provider.name}>
              <td>
                {provider.name} {provider.current ? <Badge>Default</Badge> : null}
              </td>
              <td>
                {provider.problem === undefined ? (
                  <Badge tone="good">Ready</Badge>
                ) : (
                  <>
                    <Badge tone="bad">Not usable</Badge> {provider.problem}
                  </>
                )}
              </td>
              <td>{provider.host ?? "This program"}</td>
              <td>{provider.keyless ? "Identity" : provider.host === undefined ? "–" : "Key"}</td>
              <td>{limitText(provider)}</td>
              <td data-align="right">{provider.models}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {isDemo ? (
        <Empty title="The built-in demo model answers">
          <p>
            <code>agent setup</code> chooses a real one: it asks for the provider and its key, and tries them.
          </p>
        </Empty>
      ) : null}
    </Panel>
  );
}

function limitText({ limit, host }: ProviderRow): string {
  if (host === undefined) return "None";
  if (limit === undefined) return "Not asked yet";
  if (limit.wait_ms > 0) return `Closed for ${Math.ceil(limit.wait_ms / 1000)} s`;
  return `Up to ${limit.at_once} at once`;
}

function ModelList({ onTry }: { readonly onTry: (model: ModelRow) => void }) {
  const [{ q }] = useFilters();
  const { entries, more, error } = useListPages<ModelRow>("/models", { q }, REFRESH_MS);
  const queries = useQueryClient();
  const choose = useMutation({
    mutationFn: ({ provider, model }: ModelRow) => ask("POST", "/models/default", { provider, model }),
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith("/models") }),
  });
  return (
    <Panel
      title="Models"
      flush
      actions={more === undefined ? undefined : <Button onClick={more}>Show more</Button>}
    >
      <Fault error={error ?? choose.error} />
      {entries?.length === 0 ? (
        <Empty title={q === undefined ? "No provider lists a model" : "No model has these words"}>
          <p>{q === undefined ? "Name one in config.yaml, under model." : "Take words out of the filter."}</p>
        </Empty>
      ) : (
        <Table caption="Models">
          <TableHead
            columns={[
              "Model",
              { name: "Context", look: "right" },
              "Images",
              { name: "In, per million", look: "right" },
              { name: "Out, per million", look: "right" },
              { name: "Actions", look: "hidden" },
            ]}
          />
          <tbody>
            {(entries ?? []).map((model) => (
              <tr key={`${model.provider}:${model.model}`}>
                <td>
                  {model.label ?? model.model} {model.current ? <Badge>Default</Badge> : null}
                </td>
                <td data-align="right">{model.context_length?.toLocaleString() ?? "–"}</td>
                <td>{model.vision === undefined ? "–" : model.vision ? "Yes" : "No"}</td>
                <td data-align="right">{dollars(model.price?.input)}</td>
                <td data-align="right">{dollars(model.price?.output)}</td>
                <td data-align="right">
                  <Button aria-label={`Try ${model.model}`} onClick={() => onTry(model)}>
                    Try
                  </Button>{" "}
                  {model.current ? null : (
                    <Button
                      aria-label={`Make ${model.model} the default`}
                      disabled={choose.isPending}
                      onClick={() => choose.mutate(model)}
                    >
                      Make default
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  );
}

const dollars = (price: number | undefined): string =>
  price === undefined ? "Not known" : price === 0 ? "Free" : `$${price.toFixed(2)}`;

const ERRORS_REFRESH_MS = 30_000;

function Errors() {
  const { entries, more, error } = useListPages<ModelErrorRow>("/models/errors", {}, ERRORS_REFRESH_MS);
  return (
    <Panel
      title="Errors of the last day"
      flush
      actions={more === undefined ? undefined : <Button onClick={more}>Show older</Button>}
    >
      <Fault error={error} />
      {entries?.length === 0 ? (
        <Empty title="Nothing went wrong">
          <p>
            Refusals, limits and broken connections of providers show here, with the session they came up in.
          </p>
        </Empty>
      ) : (
        <Table caption="Errors of the last day">
          <TableHead columns={["When", "What", "Then", "Session"]} />
          <tbody>
            {(entries ?? []).map((each) => (
              <tr key={`${each.at} ${each.session_id}`}>
                <td>
                  <Ago at={each.at} />
                </td>
                <td>{each.message}</td>
                <td>{each.retried ? <Badge>Tried again</Badge> : <Badge tone="bad">Turn failed</Badge>}</td>
                <td>
                  <Link to="/sessions/$id" params={{ id: each.session_id }}>
                    {each.title === "" ? "Open" : each.title}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  );
}
