#!/usr/bin/env bash
# A run that asks before it acts, with nothing but curl. Start the server first:
#   API_SERVER_ENABLED=true API_SERVER_KEY=… agent gateway
set -euo pipefail
url=${AGENT_URL:-http://127.0.0.1:8642/v1}
api() { curl --silent --show-error --fail -H "Authorization: Bearer $API_SERVER_KEY" "$@"; }
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# Begin it. It goes on whether or not anybody is connected; with the key it begins once, however often this is sent.
run=$(api "$url/runs" -H "Idempotency-Key: walk-through-$$" -d '{"input": "run `rm -f old.txt`"}' | field run_id)
echo "began $run"

# It works until it must ask.
until [ "$(api "$url/runs/$run" | field status)" = waiting_for_approval ]; do sleep 0.1; done
echo "it asks to run: $(api "$url/runs/$run" | field command)"

# Anybody with the key may answer: once, session, always or deny.
echo "answered: $(api "$url/runs/$run/approval" -d '{"choice": "once"}' | field choice)"

# All its events, to the end; `Last-Event-ID` or ?after= would leave out those that were seen.
echo "$(api "$url/runs/$run/events" | grep -c '^event: ') events in all"
echo "it is $(api "$url/runs/$run" | field status)"
