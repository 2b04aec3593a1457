/** Every key, for the help overlay and for nobody else: what is bound stands in `keys/`. */
export const HELP = `
# Writing

| Key | What it does |
|---|---|
| Enter | send; while a turn runs, add to it (\`/display enter queue\` turns Enter and Tab round) |
| Tab | while a turn runs: send after it; else complete \`/commands\`, \`@files\`; on nothing: plan, and back |
| Alt+Enter, Shift+Enter, Ctrl+J, \\\\ then Enter | new line |
| Ctrl+S | add to the running turn (steer) |
| Enter on nothing, twice | stop the turn and send what is queued |
| ↑ ↓ | completions, lines, queued prompts, then what was sent before |
| Ctrl+R | search what was sent before |
| Ctrl+G, Ctrl+X Ctrl+E | write in your editor ($VISUAL, $EDITOR) |
| Ctrl+V | attach the image in the clipboard |
| Ctrl+A Ctrl+E, Alt+B Alt+F | begin and end of the line, words |
| Ctrl+W Alt+D, Ctrl+U Ctrl+K, Ctrl+Y | cut a word, cut the line, put it back |
| Ctrl+Z, Alt+Z | undo, redo |

# Turns and questions

| Key | What it does |
|---|---|
| Esc | stop the turn; leave the question, close |
| Esc twice on nothing, /rewind | go back to before an earlier prompt |
| Ctrl+C | stop the turn; clear the draft; twice: leave |
| Alt+A, ↑ on an empty line | go into the question above; until then no key answers it |
| Alt+1 Alt+2 …, then Enter | go into the question with this answer marked; take it |
| 1 2 3 …, ↑↓, then Enter | in a question: mark an answer, take it; letters go to the prompt |
| Ctrl+O | read in full: what is asked; else the last outputs, changes and thoughts |
| Ctrl+B, /detach | send the running command to the background (in tmux: twice) |
| Ctrl+D on nothing | leave; asks first while a turn runs |

# Around

| Key | What it does |
|---|---|
| Shift+Tab, /approval-mode | go round: ask, edits allowed, plan (only reads), all allowed |
| Ctrl+X | then a letter: l sessions, n new, m model, u undo …; it shows them all |
| Ctrl+P on nothing, Ctrl+X p | all that can be done, to search in |
| Ctrl+T | models |
| /skills, /agents, /processes, /queued | skills; subagents; commands in the background; what waits, to edit and move |
| /approvals | what runs without asking: the mode, and the rules |
| /diff, /details, /history | what differs from the last commit; outputs and thoughts; the conversation |
| Alt+C, /copy, /copy 2 | copy the last answer, or its second block of code |
| /display | what the screen shows, and where |
| /setup | a model to talk to |
| ? on nothing | this help |
| Ctrl+L | draw the screen again |

# Beginnings

- \`/\` a command; \`/help\` lists them all
- \`!\` a command of the shell, in the session's folder; its output goes along with the next prompt; \`!!\` keeps it out
- \`@\` a file, a folder or an image: its content goes along

Selecting, copying and scrolling are your terminal's own: the mouse is never taken.
`;

/** A command as it is typed, with what it does. */
type Described = readonly [usage: string, about: string, ...unknown[]];

/** All commands, each once, and then the keys: whoever asks by a command looks for commands. */
export function helpWithCommands(commands: readonly Described[]): string {
  const byName = Map.groupBy(commands, ([usage]) => usage.split(" ", 1)[0]);
  const rows = [...byName.values()]
    .flatMap(([first]) => (first === undefined ? [] : [first]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([usage, about]) => `| ${cell(usage)} | ${cell(about)} |`);
  return `\n# Commands\n\n| Command | What it does |\n|---|---|\n${rows.join("\n")}\n${HELP}`;
}

/** Text as it is in a cell of a table. */
const cell = (text: string): string =>
  text.replaceAll(/[\\|*_`<[\]]/g, String.raw`\$&`).replaceAll(/\s+/g, " ");
