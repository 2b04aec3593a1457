/**
 * Commands that run programs, write, or show what nobody allowed, one line each. They come from the public write-ups of GTFOBins
 * (shell, command, file-write, file-read, by program), of argument injection, and of attacks through git's configuration.
 * `RAN` stands for a command that leaves a mark.
 */
export const HARMFUL: readonly string[] = String.raw`
RAN
./RAN
sh -c 'RAN'
bash -c "RAN"
dash -c RAN
echo RAN | sh
echo RAN | bash -v
echo "RAN" | sh -s
bash -v x.sh
bash --rcfile x.sh -i
zsh -v
python3 -c 'import os; os.system("RAN")'
python3 -v x.py
python3 -m pdb x.py
perl -e 'system "RAN"'
perl -v -e 'exec "RAN"'
ruby -e 'exec "RAN"'
ruby -v -e 1
node -e 'require("child_process").execSync("RAN")'
node --version
node -v x.js
node -r ./x.js -v
php -r 'system("RAN");'
lua -e 'os.execute("RAN")'
awk 'BEGIN {system("RAN")}'
gawk -f x.awk
mawk 'BEGIN {print > "ran"}'
sed -n '1e RAN' a.txt
sed -n 's/.*/RAN/e' a.txt
sed -n 'w ran' a.txt
sed -n '/x/w ran' a.txt
sed -i 's/a/b/' a.txt
sed -n 1p -i a.txt
sed --expression='1e RAN' a.txt
sed -f x.sed a.txt
find . -exec RAN \;
find . -exec RAN {} +
find . -execdir RAN \;
find . -ok RAN \;
find . -okdir RAN \;
find . -delete
find . -fprint ran
find . -fprintf ran x
find . -fls ran
find . -fprint0 ran
find . -files0-from list
find . ! -name x -delete
find . -name a.txt -o -delete
find -L . -name x
find -H link
find / -name passwd
find .. -name secret
xargs RAN
xargs -I{} RAN {}
echo a.txt | xargs rm
ls | xargs -n1 RAN
env RAN
env -S 'RAN'
env -i RAN
nice RAN
nohup RAN
timeout 5 RAN
setsid RAN
stdbuf -oL RAN
time RAN
command RAN
builtin eval RAN
eval RAN
exec RAN
source x.sh
. x.sh
trap RAN EXIT
alias ls=RAN
PATH=. ls
LD_PRELOAD=./x.so ls
GIT_PAGER=RAN git log
PAGER=RAN git log
GIT_EXTERNAL_DIFF=RAN git diff
GIT_SSH_COMMAND=RAN git status
GIT_CONFIG_COUNT=1 git status
RIPGREP_CONFIG_PATH=x rg a
GREP_OPTIONS=-f ls
printf -v PATH . && ls
read PATH && ls
export PATH=. && ls
declare PATH=.
unset PATH
hash -p ./RAN ls
enable -f ./x.so x
[ -v 'a[$(RAN)]' ]
test -v 'a[$(RAN)]'
[[ -v 'a[$(RAN)]' ]]
test -R x
let 'a[$(RAN)]'
((a[$(RAN)]))
ls $(RAN)
ls ${"$"}{x:-$(RAN)}
ls <(RAN)
ls >(RAN)
ls > ran
ls >> ran
ls 2> ran
ls &> ran
ls >| ran
ls <> ran
tee ran
echo x | tee ran
cat a.txt > ran
cat < ../out/secret
cp a.txt ran
mv a.txt ran
ln -s /etc ran
install a.txt ran
dd if=a.txt of=ran
truncate -s 0 a.txt
touch ran
mkdir ran
rmdir src
rm a.txt
shred a.txt
chmod 777 a.txt
chown root a.txt
split a.txt ran
csplit a.txt 1
sort -o ran a.txt
sort --output=ran a.txt
sort --outp=ran a.txt
sort --compress-program=./RAN a.txt
sort -T . a.txt
sort --files0-from=list
sort -S 1 --compress-program=RAN a.txt
uniq a.txt ran
uniq -c a.txt ran
shuf -o ran a.txt
tac -s x a.txt ran
tar -cf ran a.txt
tar -cf /dev/null a.txt --checkpoint=1 --checkpoint-action=exec=RAN
tar xf x.tar
tar -xf x.tar --to-command=RAN
tar -tf x.tar --use-compress-program=RAN
zip ran a.txt -T -TT RAN
unzip -o x.zip
7z a ran a.txt
gzip a.txt
bzip2 a.txt
xz a.txt
rsync -e RAN x:y .
scp -S RAN x y:
ssh -o ProxyCommand=RAN x
ssh -V -F x
curl http://127.0.0.1/ -o ran
curl -K x
curl file:///etc/passwd
wget -O ran http://127.0.0.1/
wget --use-askpass=RAN x
nc -e sh 127.0.0.1 1
ncat -c RAN 127.0.0.1 1
socat - EXEC:RAN
openssl enc -in ../out/secret
openssl req -engine ./x.so
gdb -ex '!RAN' -batch
gdb -nx -ex 'shell RAN'
strace -o ran ls
ltrace ls
perf stat -o ran ls
valgrind ls
make
make -f x.mk
make -n --eval='$(shell RAN)'
make --version -f x.mk
cmake -P x.cmake
cmake --version
ninja -v
ninja --version -C x
meson --version
bazel version
cargo --version
cargo -V
cargo run
rustc -V
rustup show
go version
go env -w X=y
go run x.go
go vet -vettool=./RAN ./...
npm -v
npm --version
npm test
npm run x
npm exec RAN
npx RAN
npx --version
yarn -v
pnpm -v
bun -v
deno --version
pip --version
pip install .
poetry --version
uv --version
ruby --version
gem -v
bundle -v
rake
mvn --version
mvn -v
gradle -v
./gradlew -v
java -version
java -jar x.jar
javac -version @x
scala -v
swift -v
kotlin -version
dotnet --version
dotnet build -p:PreBuildEvent=RAN
ant -version
sbt about
php -v -d auto_prepend_file=x.php
composer --version
terraform version
kubectl version --kubeconfig=x
docker run x
docker -v
gh --version
gh pr list
svn --version
hg --version
hg --config alias.x='!RAN' x
vim -c ':!RAN' -c ':q'
vi x
ed a.txt
ex -sc ':w ran' -cx a.txt
nano a.txt
emacs -batch --eval '(shell-command "RAN")'
less a.txt
more a.txt
most a.txt
man ls
man -P RAN ls
man -H RAN ls
info ls
pg a.txt
script -qc RAN /dev/null
screen -X x
tmux new RAN
expect -c 'spawn RAN'
watch RAN
at now -f x
crontab -l
systemctl status
journalctl
mount
su -c RAN
sudo RAN
sudo -l
doas RAN
pkexec RAN
chroot . RAN
unshare RAN
nsenter RAN
flock x RAN
taskset 1 RAN
ionice RAN
busybox sh -c RAN
busybox ls
toybox ls
jq -n 'input_filename' -L .
jq -f x.jq a.txt
jq . package.json
yq e -i '.a = 1' a.txt
xmllint --output ran a.txt
xsltproc x.xsl a.txt
iconv -o ran a.txt
base64 ../out/secret
xxd -r a.txt ran
od -c ../out/secret
hexdump ../out/secret
strings ../out/secret
file -C -m x
file -f ../out/secret
nl ../out/secret
tail -f a.txt
tail --pid=1 -f a.txt
head ../out/secret
cat ../out/secret
cat /etc/passwd
cat link/secret
cat sub/../../out/secret
cat src/../link/secret
less /etc/shadow
diff a.txt ../out/secret
diff -l a.txt b.txt
diff --paginate a.txt b.txt
diff --to-file=/etc/passwd a.txt
diff --from-file=../out/secret a.txt
diff -r . ../out
diff -x x -X list a.txt b.txt
cmp a.txt ../out/secret
comm a.txt ../out/secret
join a.txt ../out/secret
paste a.txt ../out/secret
wc --files0-from=list
wc ../out/secret
du --files0-from=list
du -L .
du -X list .
stat ../out/secret
ls ..
ls -l /
ls link
ls -L link
ls -R /
tree -o ran
tree -R -H . -L 1 -o ran
tree -l
tree --fromfile list
tree ..
grep -f list a.txt
grep --file=list a.txt
grep -R x .
grep --dereference-recursive x .
grep x ../out/secret
grep -r x ..
grep x link/secret
grep --exclude-from=list x a.txt
egrep -f list a.txt
zgrep x a.txt
rg --pre RAN x
rg --pre=./RAN x
rg --pre-glob '*' --pre RAN x
rg --hostname-bin RAN --hyperlink-format x x
rg -z x
rg --search-zip x
rg -f list
rg --file=list
rg -L x
rg --follow x
rg --ignore-file list x
rg x ..
rg x /etc
date -s '2000-01-01'
date --set=now
date -f list
date --file=list
date 01010000
date -r ../out/secret
hostname x
hostname -F a.txt
uname -x
id root
who
env
printenv
set
export
jobs
history
fc -l
kill 1
pkill x
sleep 1000000
yes
seq 1 99999999999
git
git help
git help -w log
git -p status
git --paginate log
git -c core.pager=RAN log
git -c core.fsmonitor=RAN status
git -c alias.x='!RAN' x
git -c diff.external=RAN diff
git --config-env=core.pager=X log
git --exec-path=. status
git --git-dir=evil log
git --work-tree=/ status
git --namespace=x log
git -C .. status
git -C evil status
git status --output=ran
git log --output=ran
git log --outp=ran
git log --ext-diff -p
git log --textconv -p
git log --show-signature
git log --format='%G?'
git log --pretty=format:%GG
git log --remerge-diff
git diff --ext-diff
git diff --textconv
git diff --output=ran
git diff --no-index a.txt b.txt
git diff /etc/passwd a.txt
git diff ../out/secret a.txt
git diff --submodule=diff
git show --textconv
git show --output=ran
git show HEAD:.env
git show :.env
git branch ran
git branch -d main
git branch -m x
git branch --edit-description
git branch -u origin/main
git tag ran
git tag -v x
git stash
git stash list -p --ext-diff
git grep -O x
git grep --open-files-in-pager=RAN x
git blame --contents ../out/secret a.txt
git cat-file --textconv HEAD:a.txt
git cat-file --filters HEAD:a.txt
git archive -o ran HEAD
git archive --exec=RAN --remote=x HEAD
git bundle create ran HEAD
git format-patch -o ran HEAD
git config --global core.pager RAN
git config core.pager RAN
git config -e
git config --list
git remote add x y
git remote show origin
git remote -v
git remote update
git fetch
git fetch --upload-pack=RAN .
git ls-remote ext::RAN
git ls-remote --upload-pack=RAN .
git clone ext::RAN x
git pull
git push
git push --receive-pack=RAN .
git submodule foreach RAN
git submodule update
git submodule status
git worktree add ran
git worktree list
git bisect run RAN
git rebase -x RAN HEAD
git rebase --exec RAN
git filter-branch --tree-filter RAN
git commit -m x
git commit --amend
git add .
git add -p
git rm a.txt
git mv a.txt b.txt
git checkout .
git checkout main
git switch main
git restore a.txt
git reset --hard
git clean -fd
git merge x
git cherry-pick x
git revert HEAD
git apply x.patch
git am x.patch
git gc
git prune
git fsck
git reflog expire --all
git update-index --refresh
git update-ref x HEAD
git symbolic-ref HEAD refs/heads/x
git hash-object -w a.txt
git read-tree HEAD
git checkout-index -a
git rev-parse --parseopt
git rev-parse --sq-quote x
git ls-files --recurse-submodules
git difftool
git mergetool
git gui
gitk
git instaweb
git daemon
git upload-pack .
git receive-pack .
git shell
git credential fill
git send-email x
git request-pull x y
git interpret-trailers a.txt
git maintenance run
git fsmonitor--daemon start
git lfs status
git x
cd .. && ls
cd / && ls
cd link && ls
cd && ls
cd ~ && ls
cd - && ls
cd $HOME && ls
cd src && cat ../../out/secret
cd src; ls
cd src || ls
pushd src
(cd src && ls)
{ ls; }
! ls
ls &
ls & RAN
if ls; then RAN; fi
for x in *; do RAN; done
while RAN; do ls; done
case x in x) RAN;; esac
f() { RAN; }; f
function f { RAN; }
select x in a; do RAN; done
coproc RAN
ls; RAN
ls && RAN
ls || RAN
ls | RAN
ls |& RAN
RAN; ls
echo RAN
`
  .split("\n")
  .filter((line) => line !== "" && line !== "echo RAN");

/** Lines that only read, of the kind that people type all day. */
export const HARMLESS: readonly string[] = [
  "ls -la",
  "ls src",
  "cat a.txt",
  "cat src/c.txt | head -n 3",
  "head -5 a.txt",
  "tail -n 5 a.txt b.txt",
  "wc -l a.txt",
  "grep -rn two .",
  "grep -c o a.txt",
  "find . -name '*.txt' -type f",
  "find src -maxdepth 1",
  "sort a.txt | uniq -c",
  "cut -d: -f1 a.txt",
  "sed -n '1,2p' a.txt",
  "diff a.txt b.txt",
  "du -sh .",
  "pwd",
  "echo hello",
  "git status",
  "git status --short",
  "git log --oneline -3",
  "git log -p -1",
  "git diff",
  "git diff HEAD",
  "git show HEAD",
  "git show HEAD --stat",
  "git branch",
  "git ls-files",
  "cd src && git status && cat c.txt",
  // They look hostile: the program `printf` sets no variable, and git gets settings of ours in every repository.
  "printf 'aaaaa%n' PATH && ls",
  "cd evil && git status",
  "cd bare.git && git log",
];

/** Ways to write the same command, so that it must not matter how it is spelled. */
export const SPELLINGS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => ` ${line} `,
  (line) => `ls && ${line}`,
  (line) => `${line} 2>/dev/null`,
  (line) => `${line} | cat`,
  (line) => line.replace(/^(\S+)/, "'$1'"),
  (line) => line.replace(/^(\S+)/, '"$1"'),
  (line) => line.replace(/^(\S+)/, String.raw`\$1`),
  (line) => line.replace(/^(\S+) /, "$1\t"),
  (line) => `true; ${line}`,
  (line) => `cat a.txt | ${line}`,
  (line) => line.replace(/^([a-z]+)/, "/usr/bin/$1"),
  (line) => `cd src && ${line}`,
];
