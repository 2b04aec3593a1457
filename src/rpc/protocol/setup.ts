import { z } from "zod";
import { method } from "./method.ts";
import { SETUP_API_MODES, SETUP_PROVIDERS } from "./setup-kinds.ts";
import { named } from "./shapes.ts";

const Provider = z.enum(SETUP_PROVIDERS);
const ApiMode = z.enum(SETUP_API_MODES);

/** The kind of a provider and the dialect of its models, as setup takes them. */
export interface SetupKinds {
  readonly provider?: z.infer<typeof Provider>;
  readonly apiMode?: z.infer<typeof ApiMode>;
}

/** The wishes for a model's configuration; absent ones are found out, or left at their default. */
const wanted = {
  provider: Provider.optional(),
  base_url: z.string().optional(),
  api_mode: ApiMode.optional(),
  /** Goes into the environment file; no answer and no log holds it. */
  api_key: z.string().optional(),
  /** The variable that holds the key. */
  key_env: z.string().optional(),
  /** By the identity of the machine or a cloud login. */
  keyless: z.boolean().default(false),
  scope: z.string().optional(),
  /** Tokens. */
  context_length: z.number().int().positive().optional(),
};

/** A place where a model may be, as a menu shows it. */
const SetupPlace = named(
  "SetupPlace",
  z.object({
    label: z.string(),
    /** What is found there, such as a server that runs or a key in the environment; empty for nothing. */
    detail: z.string(),
    /** Absent for any other address: what its host says counts. */
    provider: Provider.optional(),
    /** The address of a server that runs. */
    base_url: z.string().optional(),
    /** The person says where it is. */
    asks_address: z.boolean(),
    /** Its usual address, when it asks for one. */
    usual_address: z.string().optional(),
    /** `known`: it is in the environment. `none`: there is nothing to prove. */
    key: z.enum(["needed", "optional", "known", "none"]),
    /** The variable with the known key. */
    key_variable: z.string().optional(),
    /** The page where a key is made. */
    key_page: z.string().optional(),
    /** It takes an identity in place of a key. */
    keyless: z.boolean(),
  }),
);

const ServedModel = named("ServedModel", z.object({ id: z.string(), context_length: z.number().optional() }));

/** Choosing the model that the host talks to: what `agent setup` asks on a terminal. */
export const SETUP_METHODS = {
  "setup.status": method({
    summary: "Whether there is a model to talk to; the demo model counts, and says so.",
    params: z.object({}),
    result: z.object({ provider_configured: z.boolean(), demo: z.boolean() }),
  }),
  "setup.runtime_check": method({
    summary: "Whether the chosen model can be used, and if not, why.",
    params: z.object({ provider: z.string().optional() }),
    result: z.object({
      ok: z.boolean(),
      provider: z.string().optional(),
      model: z.string().optional(),
      error: z.string().optional(),
    }),
  }),
  "setup.servers": method({
    summary: "Model servers that answer on this machine at their usual addresses.",
    params: z.object({}),
    result: z.object({
      servers: z.array(
        z.object({
          /** The provider whose usual address it is. */
          provider: Provider.optional(),
          base_url: z.string(),
          models: z.array(ServedModel),
        }),
      ),
    }),
  }),
  "setup.places": method({
    summary:
      "The places where a model may be, as a menu offers them: what runs on this machine or has its key in the environment first.",
    params: z.object({}),
    result: z.object({ places: z.array(SetupPlace) }),
  }),
  "setup.detect": method({
    summary:
      "What an address speaks and which models it lists; without an address, what the provider's own service lists.",
    params: z.object(wanted),
    result: z.object({
      /** It told what it speaks. */
      detected: z.boolean(),
      api_mode: z.string().optional(),
      base_url: z.string().optional(),
      models: z.array(ServedModel),
    }),
    codes: { config_invalid: 4004 },
  }),
  "setup.save": method({
    summary:
      "Checks a choice by one real answer and saves it, the key in the environment file; one that fails is saved with `save_anyway` only.",
    params: z.object({
      ...wanted,
      model: z.string().min(1),
      check: z.boolean().default(true),
      save_anyway: z.boolean().default(false),
    }),
    result: z.object({
      saved: z.boolean(),
      provider: z.string(),
      model: z.string(),
      checks: z.array(
        z.object({
          name: z.string(),
          ok: z.boolean(),
          text: z.string(),
          /** What of the choice is probably wrong. */
          field: z.enum(["address", "key", "model"]).optional(),
        }),
      ),
      /** A note for its owner. */
      note: z.string().optional(),
    }),
    codes: { config_invalid: 4004 },
  }),
} as const;
