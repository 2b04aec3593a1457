import { type Escape, escapes, fromInside, type Rows } from "./escape.ts";

/** Ways to make git run `touch "$OUT/$N"` later, when somebody outside asks for the state of a repository in `$WS/g$N`. */
const RUN = 'touch \\"$OUT/$N\\"';
const fresh =
  'git init -q "$WS/g$N" && cd "$WS/g$N" && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a';
const FRESH: Rows = [
  ["sets a monitor of files", `${fresh} && git config core.fsmonitor "${RUN}; false"`],
  [
    "sets a monitor by hand",
    `${fresh} && printf '[core]\\n\\tfsmonitor = touch %s/%s;false\\n' "$OUT" "$N" >> .git/config`,
  ],
  [
    "sets it on the line of the section",
    `${fresh} && printf '[core] fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" >> .git/config`,
  ],
  [
    "sets it over two lines",
    `${fresh} && printf '[core]\\n fsmonitor = touch %s/%s;\\\\\\nfalse\\n' "$OUT" "$N" >> .git/config`,
  ],
  [
    "sets it in capitals",
    `${fresh} && printf '[CORE]\\n FSMonitor = touch %s/%s;false\\n' "$OUT" "$N" >> .git/config`,
  ],
  [
    "includes settings of another file",
    `${fresh} && printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" > evil && git config include.path ../evil`,
  ],
  [
    "includes them on a condition",
    `${fresh} && printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" > evil && git config includeIf.gitdir:/.path "$PWD/evil"`,
  ],
  [
    "puts them into the settings of a tree",
    `${fresh} && git config extensions.worktreeConfig true && git config --worktree core.fsmonitor "${RUN}; false"`,
  ],
  [
    "links the settings",
    `${fresh} && printf '[core]\\n repositoryformatversion = 0\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" > evil && ln -sf ../evil .git/config`,
  ],
  [
    "leaves a hook",
    `${fresh} && printf '#!/bin/sh\\ntouch "%s/%s"\\n' "$OUT" "$N" > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change && echo a > a && git add a && touch a`,
  ],
  [
    "links the hooks",
    `${fresh} && mkdir h && printf '#!/bin/sh\\ntouch "%s/%s"\\n' "$OUT" "$N" > h/post-index-change && chmod +x h/* && rm -rf .git/hooks && ln -s ../h .git/hooks && echo a > a && git add a && touch a`,
  ],
  [
    "leads to other hooks",
    `${fresh} && mkdir h && printf '#!/bin/sh\\ntouch "%s/%s"\\n' "$OUT" "$N" > h/post-index-change && chmod +x h/* && git config core.hooksPath "$PWD/h" && echo a > a && git add a && touch a`,
  ],
  [
    "filters files",
    `${fresh} && git config filter.x.clean "${RUN}; cat" && echo "* filter=x" > .gitattributes && echo a > a && git add -N a && touch a`,
  ],
  [
    "leads to the settings of another folder",
    `${fresh} && mkdir -p e/objects e/refs && printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" > e/config && echo ../e > .git/commondir`,
  ],
  [
    "leads to another repository",
    `${fresh} && mv .git evil.d && printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" >> evil.d/config && echo "gitdir: $PWD/evil.d" > .git`,
  ],
  [
    "links to another repository",
    `${fresh} && mv .git evil.d && printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" >> evil.d/config && ln -s evil.d .git`,
  ],
  [
    "is a repository without a tree",
    'git init -q --bare "$WS/g$N" && cd "$WS/g$N" && git config core.bare false && git config core.worktree "$WS/g$N" && git config core.fsmonitor "touch $OUT/$N; false"',
  ],
  [
    "hides in a folder that was moved",
    `${fresh} && git config core.fsmonitor "${RUN}; false" && cd .. && mv g$N k$N && mkdir g$N && mv k$N/.git g$N/.git`,
  ],
];

const repo = 'cd "$WS/repo"';
/** The same in the repository that was there. Outside they would do it, so nothing is seen to fail there twice. */
const THERE: Rows = [
  ["changes the settings", `${repo}; git config core.fsmonitor "touch $OUT/$N; false"`],
  [
    "writes the settings",
    `${repo}; printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" >> .git/config`,
  ],
  [
    "puts other settings in their place",
    `${repo}; cp .git/config c; printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" >> c; mv c .git/config`,
  ],
  [
    "moves the repository away",
    `${repo}; mv .git k && cp -r k .git && git config core.fsmonitor "touch $OUT/$N; false"`,
  ],
  ["removes the settings", `${repo}; rm -f .git/config; git config core.fsmonitor "touch $OUT/$N; false"`],
  [
    "writes a hook",
    `${repo}; printf '#!/bin/sh\\ntouch "%s/%s"\\n' "$OUT" "$N" > .git/hooks/post-index-change; chmod +x .git/hooks/*; touch a`,
  ],
  [
    "moves the hooks away",
    `${repo}; mv .git/hooks h2; mkdir .git/hooks; printf '#!/bin/sh\\ntouch "%s/%s"\\n' "$OUT" "$N" > .git/hooks/post-index-change; chmod +x .git/hooks/*; touch a`,
  ],
  [
    "leads it to other settings",
    `${repo}; mkdir -p e/objects e/refs; printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" > e/config; echo ../e > .git/commondir`,
  ],
  [
    "makes a linked tree with other settings",
    `${repo}; mkdir -p .git/worktrees/e o/objects o/refs t; cp .git/HEAD .git/worktrees/e/; echo "$PWD/o" > .git/worktrees/e/commondir; echo "$PWD/t/.git" > .git/worktrees/e/gitdir; echo "gitdir: $PWD/.git/worktrees/e" > t/.git; printf '[core]\\n fsmonitor = touch %s/%s;false\\n' "$OUT" "$N" > o/config; git -C t status; rm -f "$OUT/$N"`,
  ],
  [
    "moves the whole folder",
    `cd "$WS"; mv repo r2 && cp -r r2 repo && cd repo && git config core.fsmonitor "touch $OUT/$N; false"`,
  ],
];

/** What is obeyed by others, where it was: it stays as it is. */
const KEPT: Rows = [
  ".github/workflows/ci.yml",
  ".envrc",
  ".vscode/tasks.json",
  ".husky/pre-commit",
  "AGENTS.md",
].map((name) => [
  `changes ${name}`,
  `echo obey-$N >> "$WS/${name}"; rm -f "$WS/${name}" && mkdir -p "$(dirname "$WS/${name}")" && echo obey-$N > "$WS/${name}"`,
]);

export const gitEscapes: readonly Escape[] = [
  ...escapes("write", FRESH),
  ...fromInside("write", THERE),
  ...escapes("harm", KEPT),
];
