#!/usr/bin/env bash
# A host in a shell script: `agent rpc` is a child process, the protocol a line of JSON each way. Usage: gateway.sh [prompt]
set -euo pipefail
prompt=${1:-count to 5}
read -ra agent <<<"${AGENT:-agent}"

coproc GATEWAY { "${agent[@]}" rpc; }
from=${GATEWAY[0]} to=${GATEWAY[1]} child=$GATEWAY_PID

ask() { # id, method, params
  printf '{"jsonrpc":"2.0","id":"%s","method":"%s","params":%s}\n' "$1" "$2" "$3" >&"$to"
}
field() { # the first text of that name in the line, with its escapes undone
  local rest=${line#*\""$1"\":\"} text=""
  while [[ $rest =~ ^([^\"\\]*)(\\.)?(.*)$ ]]; do
    text+=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
    [[ -n ${BASH_REMATCH[2]} ]] || break
    rest=${BASH_REMATCH[3]}
  done
  printf '%b' "${text//\\\"/\"}"
}
quoted() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }

while IFS= read -r line <&"$from"; do
  case $line in
    *'"type":"gateway.ready"'*) ask create session.create '{}' ;;
    *'"error":{"code"'*) echo "failed: $(field message)" >&2; break ;;
    *'"id":"create"'*)
      session=$(quoted "$(field session_id)")
      ask prompt prompt.submit "{\"session_id\":$session,\"text\":$(quoted "$prompt")}"
      ;;
    *'"type":"approval.request"'*) ask answer approval.respond "{\"session_id\":$session,\"choice\":\"deny\"}" ;;
    *'"type":"message.delta"'*) field text ;;
    *'"type":"message.complete"'*) echo; break ;;
  esac
done
exec {to}>&-
wait "$child"
