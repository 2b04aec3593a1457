import { Command } from "commander";
import { expect, test } from "vitest";
import { SETUP_FLAGS } from "../../../src/cli/setup/setup-flags.ts";
import { API_MODES, KIND_ALIASES, KINDS } from "../../../src/providers/models/index.ts";
import { SETUP_METHODS } from "../../../src/rpc/protocol/setup.ts";

const { provider, api_mode: apiMode } = SETUP_METHODS["setup.detect"].params.shape;

const NAMES = [...KINDS, ...Object.keys(KIND_ALIASES)];

/** The values that a flag of `agent setup` takes. */
const choicesOf = (name: "provider" | "apiMode"): readonly string[] =>
  (SETUP_FLAGS[name].declare(new Command(), name) as Command).options[0]?.argChoices ?? [];

test("every dialect and every kind of provider can be chosen by flags and over the gateway", () => {
  expect(choicesOf("apiMode")).toEqual(API_MODES);
  expect(choicesOf("provider").toSorted()).toEqual(NAMES.toSorted());
  expect(apiMode.unwrap().options).toEqual(API_MODES);
  expect(provider.unwrap().options).toEqual(NAMES);
});
