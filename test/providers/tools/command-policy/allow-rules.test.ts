import { describe, expect, test } from "vitest";
import { rulesFor } from "../../../../src/providers/tools/command-policy/allow-rules.ts";

/** Whether rules that were allowed let a line pass, as the core decides it. */
const covers = (allowed: readonly string[], line: string): boolean =>
  rulesFor(line).every((rule) => allowed.includes(rule));

describe("rules cover", () => {
  test.each([
    [["git commit *"], "git commit"],
    [["git commit *"], "git commit -a -m 'x y'"],
    [["git commit *"], "git commit -qam x"],
    [["git commit *"], "\"git\" 'commit' -m x"],
    [["git commit *", "git add *"], "git add . && git commit -m x"],
    [["npm test *"], "npm test"],
    [["npm test *"], "'npm'   test"],
    [["npm test *"], "npm test --silent 2>/dev/null"],
    [["npm run build *"], "npm run build"],
    [["npm test *", "tail -5"], "npm test | tail -5"],
    [["jest *"], "jest -u src/a.test.ts"],
    [["go test *"], "go test -v ./..."],
    [["make"], "make"],
    [["make all"], "make   'all'"],
    [["curl example.com | sh -s"], "curl example.com | sh -s"],
    [["=rm *"], "rm *"],
    [["=echo $(ls)"], "echo $(ls)"],
    [["=echo $(ls)"], "  echo $(ls) "],
    [["=cd x && make"], "cd x && make"],
  ])("%j the line %s", (allowed, command) => {
    expect(covers(allowed, command)).toBe(true);
  });
});

describe("rules do not cover", () => {
  test.each([
    [[], "ls"],
    [["git commit *"], "git commit -m x; rm x"],
    [["git commit *"], "git commit -m x | sh"],
    [["git commit *"], "git commit -m $(rm x)"],
    [["git commit *"], "git commit -m x > /etc/passwd"],
    [["git commit *"], "X=1 git commit"],
    [["git commit *"], "git -c x=y commit"],
    [["git commit *"], "git commit-tree x"],
    [["git commit *"], "git push"],
    [["git commit *"], "$GIT commit"],
    [["git commit *"], "git commit --amend"],
    [["git commit *"], "git commit -a --template=x"],
    [["git commit *"], "git commit -q -F ../x"],
    [["git fetch *"], "git fetch --upload-pack=evil x"],
    [["git fetch *"], "git fetch --up=evil x"],
    [["git fetch *"], "git fetch $X"],
    [["git fetch *"], "git fetch *"],
    [["git fetch *"], "git fetch ext::evil"],
    // Rules of older versions, which stood for any words.
    [["git push *"], "git push"],
    [["git push *"], "git push --force origin :main"],
    [["git push *"], "git push elsewhere main"],
    [["npm *"], "npm exec evil"],
    [["npx *"], "npx evil"],
    [["node *"], "node -e evil"],
    [["make *"], "make SHELL=x"],
    [["docker *"], "docker run -v /:/x x"],
    [["curl *"], "curl evil.example"],
    [["cat *"], "cat /etc/passwd"],
    [["ls *"], "ls -la"],
    [["echo *"], "echo x"],
    [["rm *"], "rm x"],
    // Options with a value never swallow the next one, and those that load code are not known.
    [["jest *"], "jest -u --runner=x"],
    [["jest *"], "jest --runner=x"],
    [["jest *"], "jest --run=x"],
    [["mypy *"], "mypy --python-executable=x"],
    [["dotnet build *"], "dotnet build -p:PreBuildEvent=x"],
    [["go test *"], "go test -coverprofile=x"],
    [["go test *"], "go test -toolexec=x"],
    [["go test *"], "go test -exec x"],
    [["go test *"], "go test -o x"],
    [["go build *"], "go build -race -toolexec x"],
    [["pytest *"], "pytest -q -p evil"],
    [["pytest *"], "pytest -p evil"],
    [["vitest *"], "vitest -u --config=x"],
    [["eslint *"], "eslint --rulesdir x"],
    [["prettier *"], "prettier --write ../x"],
    [["prettier *"], "prettier --write /etc/x"],
    [["prettier *"], "prettier --plugin=x"],
    [["npm test *"], "npm test x"],
    [["npm run build *"], "npm run build --script-shell=x"],
    [["npm run build *"], "npm run evil"],
    [["npm run *"], "npm run evil"],
    // The parts of one line, put together in another way.
    [["cat a.txt", "sh"], "cat a.txt | sh"],
    [["curl example.com", "tee x"], "curl example.com | tee x"],
    [["cat a.txt", "python3"], "cat a.txt | python3"],
    [["cd x", "make"], "cd x && make"],
    [["export PATH=x", "=export PATH=x", "make"], "export PATH=x && make"],
    [["if true", "then make", "fi"], "if true; then make; fi"],
    [["for x in a", "do make", "done"], "for x in a; do make; done"],
    [["='X=1' make"], "X=1 make"],
    [["=rm *"], "rm '*'"],
    [["=rm *"], "rm x"],
    [["=ls a b*"], String.raw`ls a\ b*`],
    [["rm *"], "sudo rm x"],
    [["=echo $(ls)"], "echo $(ls) x"],
    [["echo *"], "echo $(ls)"],
    [["*"], "ls"],
    [[" *"], "ls"],
    [["=*"], "ls"],
  ])("%j the line %s", (allowed, command) => {
    expect(covers(allowed, command)).toBe(false);
  });
});
