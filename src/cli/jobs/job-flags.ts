import { amount, argument, flag, JSON_FLAG, number, option, several, type Values } from "../command.ts";

/** Options of `create` and `edit`. */
const DESCRIPTION = {
  name: option("<name>", "its name; the prompt's first words by default"),
  skill: option("<name>", "load this skill; may be given several times", { read: several }),
  deliver: option("<targets>", "local, origin, all, log, email, a platform; several with commas"),
  repeat: option("<count>", "so many runs, then it is completed", { read: number }),
  provider: option("<name>", "a provider of config.yaml"),
  baseUrl: option("<address>", "the provider of config.yaml that is there"),
  model: option("<name>", "the model of that provider"),
  persona: option("<name>", "the persona that answers; none for none"),
  maxTokens: option("<count>", "tokens that one run may use; 0 is no limit", { read: number }),
  maxCost: option("<dollars>", "US dollars that one run may cost; 0 is no limit", { read: amount }),
};

/** The inputs of `agent jobs create`. */
export const NEW_JOB = {
  schedule: argument(
    "<schedule>",
    '"every 2h", "weekdays at 9am", "0 9 * * 1-5", "in 30m", "2026-03-01T09:00"',
  ),
  prompt: argument("[prompt]", "what to do"),
  ...DESCRIPTION,
  workdir: option("<folder>", "where it works; this folder by default"),
  paused: flag("do not run it until it is resumed"),
  json: JSON_FLAG,
};

/** The inputs of `agent jobs edit`. */
export const CHANGED_JOB = {
  id: argument("<id>"),
  ...DESCRIPTION,
  schedule: option("<schedule>", "when it runs"),
  prompt: option("<prompt>", "what it does"),
};

/** The values of `agent jobs create`. */
export type NewJob = Values<typeof NEW_JOB>;

/** The values of `agent jobs edit`. */
export type ChangedJob = Values<typeof CHANGED_JOB>;
