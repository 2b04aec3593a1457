import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { key } from "./block.ts";

const AMOUNTS = z.enum(["hidden", "collapsed", "expanded"]);
const FLAG = z.union([z.boolean(), z.enum(["on", "off"])], { error: "It is true or false" });
/** Words of which one is off: people write false, or a bare `off`, which some readers of YAML turn into it. */
const orOff = <const Words extends readonly string[]>(words: Words) =>
  z.preprocess((value) => (value === false ? "off" : value), z.enum(words));

/** The block `display`. */
export const displayBlock = later(() =>
  z.looseObject({
    busy_input_mode: key(
      z.enum(["steer", "queue", "interrupt"]),
      "What Enter does with a prompt while a turn runs: by default `steer` in the terminal client, `queue` in other clients.",
    ),
    tool_progress: key(
      orOff(["off", "new", "all", "verbose"]),
      "How much other clients are told of tool calls.",
      "all",
    ),
    personality: key(z.string(), "A name in `personalities`."),
    skin: key(z.string(), "A name in `skins`, or a built-in one; the usual one by default."),
    details_mode: key(AMOUNTS, "How much is shown of thoughts, tools and subagents."),
    thinking_mode: key(
      z.enum(["collapsed", "truncated", "full"]),
      "How much is shown of thoughts.",
      "collapsed",
    ),
    show_reasoning: key(
      z.boolean(),
      "Clients are sent the model's thoughts, as `/reasoning show` says.",
      false,
    ),
    reasoning_full: key(z.boolean(), "They are sent whole, as `/reasoning full` says.", false),
    sections: z
      .looseObject({
        thinking: key(AMOUNTS, "The same as `details_mode`, for thoughts."),
        tools: key(AMOUNTS, "The same, for tools."),
        subagents: key(AMOUNTS, "The same, for subagents."),
        activity: key(AMOUNTS, "The same, for what clients show of other activity."),
      })
      .optional(),
    tui_compact: key(FLAG, "Nothing stands apart from what is before it.", false),
    tui_statusbar: key(
      z.preprocess(
        (value) => (value === true || value === "on" ? "bottom" : value),
        orOff(["top", "bottom", "off"]),
      ),
      "Where the status line is.",
      "top",
    ),
    tui_status_indicator: key(
      z.enum(["ascii", "emoji", "kaomoji", "unicode"]),
      "The pictures that turn while something runs.",
      "unicode",
    ),
    tui_title: key(FLAG, "The window's title says what goes on.", true),
    tui_bell: key(
      z.preprocess(
        (value) => (value === true || value === "on" ? "bell" : value),
        orOff(["off", "bell", "notify"]),
      ),
      "What is heard when the agent waits.",
      "bell",
    ),
  }),
);

/** The block `agent`. */
export const agentBlock = later(() =>
  z.looseObject({
    prompt: key(z.string(), "Words of the owner for every session."),
    persona: key(z.string(), "Persona of sessions for which nothing else chose one."),
  }),
);

/** The block `people`. */
export const peopleBlock = later(() =>
  z.looseObject({
    owner: key(
      // YAML takes a number with its country code for a figure.
      z.union([
        z.string().regex(/^(u_[0-9a-f]{12}|\+[\d ()./-]{6,30})$/, {
          error: "Write the id of a user, or their mobile number with its country code",
        }),
        z.int().transform((digits) => `+${digits}`),
      ]),
      "The user on the roster who sits at the terminal, by id or mobile number: one person with one memory.",
    ),
  }),
);

/** The block `personalities`. */
export const personalitiesBlock = later(() => z.record(z.string(), z.string()));

/** The block `quick_commands`. */
export const quickCommandsBlock = later(() =>
  z.record(
    z.string(),
    z.looseObject({
      command: key(z.string(), "A line for the shell."),
      type: key(z.enum(["exec", "alias"]), "`alias` is another name for the command in `target`."),
      target: key(z.string(), "The command that it is another name for, with its arguments."),
      description: key(z.string(), "What lists of commands say of it."),
    }),
  ),
);

const WORDS = z.record(z.string(), z.string().nullable());

/** The block `skins`. */
export const skinsBlock = later(() =>
  z.record(
    z.string(),
    z.looseObject({
      colors: key(WORDS, "Colours by their names."),
      branding: key(WORDS, "Words by their names."),
      banner_logo: key(z.string(), "The picture above a new chat."),
      banner_hero: key(z.string(), "The picture beside it."),
      tool_prefix: key(z.string(), "What stands before calls of tools."),
      help_header: key(z.string(), "The heading of the help."),
    }),
  ),
);
