import { FIRST_PROGRAMS } from "../sandbox/linux/first-program.ts";

/** The variable that all programs of one call bear inside. */
export const CALL = "AGENT_CALL";
/** The folder inside, of the host's, with the scripts below and a file for each call that is to end. */
export const OWN_INSIDE = "/run/agent";
/** The word with which a container says that it is ready; programs that it has follow. */
export const READY = "agent-ready";
/** Programs with which a container can reach what it should not: the tests use them, and some pass the way out on. */
export const TOOLS_INSIDE = ["perl", "python3", "node", "nc", "bash", "socat"] as const;

const NODE_RELAY = String.raw`
const[to,port]=process.argv.slice(2),n=require("net");
n.createServer({allowHalfOpen:true},c=>{const u=n.connect({path:to,allowHalfOpen:true});c.on("error",()=>u.destroy());u.on("error",()=>c.destroy());c.pipe(u);u.pipe(c)}).listen(+port,"127.0.0.1")
`.trim();

/**
 * The main program of a container: it starts what passes the way out on, and stays until its input ends, which it does with
 * the host.
 *
 * Arguments: socket of the way out or nothing, port.
 */
const STAY = String.raw`
h=
for t in ${TOOLS_INSIDE.join(" ")}; do command -v $t >/dev/null 2>&1 && h="$h $t"; done
set -- "$1" "$2" "$h" ${OWN_INSIDE}
test -z "$1" || case "$h " in
*" perl "*) exec perl $4/relay.pl "$1" "$2" 0 0 /bin/sh $4/wait "$h" ;;
*" python3 "*) exec python3 -I -S $4/relay.py "$1" "$2" 0 0 /bin/sh $4/wait "$h" ;;
*" node "*) node $4/relay.cjs "$1" "$2" </dev/null >/dev/null 2>&1 & ;;
*" socat "*) socat "TCP-LISTEN:$2,bind=127.0.0.1,fork,reuseaddr" "UNIX-CONNECT:$1" </dev/null >/dev/null 2>&1 & ;;
esac
exec /bin/sh $4/wait "$h"
`.trim();

const WAIT = String.raw`
echo "${READY}$1"
while read -r line; do :; done
`.trim();

/**
 * Finds the processes that bear a mark in their environment, those of their sessions, and the children of all these, in `p`.
 * It starts no program, and itself is not among them. A shell's own `read` drops the zeros; programs for lines stop at them.
 */
const LOOK = String.raw`
has() {
while read -r x || test -n "$x"; do case $x in *"$1"*) return 0 ;; esac; done <"$2"
return 1
}
look() {
p=" " s=" $2 " l=
for f in /proc/[0-9]*/environ; do if has "$1" "$f"; then l="$l $f"; fi; done
for f in $l; do
n=\${f#/proc/}; n=\${n%/environ}
test "$n" != $$ || continue
{ read -r x <"/proc/$n/stat"; } 2>/dev/null || continue
set -- \${x##*) }
p="$p$n "
test "$4" -le 1 || s="$s$4 "
done
q=
while test "$q" != "$p"; do
q=$p
for f in /proc/[0-9]*/stat; do
n=\${f#/proc/}; n=\${n%/stat}
test "$n" != $$ || continue
case $p in *" $n "*) continue ;; esac
{ read -r x <"$f"; } 2>/dev/null || continue
set -- \${x##*) }
case $1 in Z|X) continue ;; esac
case $s in *" $4 "*) p="$p$n "; continue ;; esac
case $p in *" $2 "*) p="$p$n " ;; esac
done
done
}
`
  .trim()
  .replaceAll("\\$", "$");

/**
 * Runs one program of a call, and ends what it leaves behind: also what hides its mark, when no other call could have left
 * it. Shells that the image does not have are replaced.
 *
 * Arguments: mark of the program, name of its variable, 1 where both outputs go to one place, program with its arguments.
 */
const RUN = String.raw`
test ! -e "${OWN_INSIDE}/ended/$${CALL}" || exit 143
m=$1 v=$2 j=$3 f=$4
shift 4
case $f in */*) test -x "$f" || f=\${f##*/} ;; esac
case $f in bash|dash|zsh|ksh|ash) command -v "$f" >/dev/null 2>&1 || f=sh ;; esac
exec 3>&2 2>/dev/null
if test "$j" = 1; then (export "$v=$m"; exec "$f" "$@" 2>&1 3>&-)
else (export "$v=$m"; exec "$f" "$@" 2>&3 3>&-); fi
c=$?
${LOOK}
i=0
while look "$v=$m" $$; test "$p" != " " && test $i -lt 50; do kill -KILL $p; i=$((i+1)); done
if has "${OWN_INSIDE}/" /proc/1/cmdline; then
o=
for f in /proc/[0-9]*/environ; do
if has "${CALL}=" "$f" && ! has "${CALL}=$${CALL}" "$f" && has "${CALL}=" "$f"; then o=1; fi
done
test -n "$o" || for f in /proc/[0-9]*/stat; do
n=\${f#/proc/}; n=\${n%/stat}
{ read -r x <"$f"; } 2>/dev/null || continue
set -- \${x##*) }
test "$2" != 1 || test "$4" = 1 || kill -KILL "$n"
done
fi
exit $c
`
  .trim()
  .replaceAll("\\$", "$");

/**
 * Ends a call: a request, a while of grace, then force. It fails when somebody is left.
 *
 * Arguments: call, tenths of a second of grace.
 */
const END = String.raw`
k="${CALL}=$1" g=$2
exec 2>/dev/null
${LOOK}
look "$k" -
test "$p" != " " || exit 0
kill -TERM $p; kill -CONT $p
i=0
while test $i -lt $g; do
sleep 0.1 || sleep 1
look "$k" -
test "$p" != " " || exit 0
i=$((i+1))
done
i=0
while test $i -lt 50; do
kill -KILL $p
look "$k" -
test "$p" != " " || exit 0
sleep 0.1 || sleep 1
i=$((i+1))
done
exit 1
`.trim();

/** What the host puts into the folder. */
export const OWN_FILES: Readonly<Record<string, string>> = {
  stay: STAY,
  wait: WAIT,
  run: RUN,
  end: END,
  "relay.pl": FIRST_PROGRAMS.perl.at(-1) ?? "",
  "relay.py": FIRST_PROGRAMS.python3.at(-1) ?? "",
  "relay.cjs": NODE_RELAY,
};
