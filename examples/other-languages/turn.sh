#!/bin/sh
# A turn told by curl: start, a request, signs of life, the end. Every record is one POST.
detector=${TURNWATCH_ENDPOINT:-http://127.0.0.1:4318}
turn=${TURN_ID:-shell-$$}
told=0

# say EVENT [ATTRIBUTE VALUE]...
say() {
  event=$1 attributes='{"key":"turnwatch.turn.id","value":{"stringValue":"'$turn'"}}'
  shift
  # Two records of the same millisecond and the same words are one that came twice: each has an instant of its own.
  told=$((told + 1)) instant=$(($(date +%s) * 1000 + told % 1000))000000
  while [ $# -ge 2 ]; do
    attributes=$attributes',{"key":"'$1'","value":{"stringValue":"'$2'"}}'
    shift 2
  done
  # A detector that is away must not stop the work: two seconds at most, never a failure, and a word the first time.
  curl -sf -m 2 -o /dev/null -H 'content-type: application/json' \
    ${TURNWATCH_API_TOKEN:+-H "authorization: Bearer $TURNWATCH_API_TOKEN"} \
    -d '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shell-agent"}}]},"scopeLogs":[{"logRecords":[{"timeUnixNano":"'$instant'","eventName":"'"$event"'","attributes":['"$attributes"']}]}]}]}' \
    "$detector/v1/logs" || { [ "${untold-}" ] || echo "$0: $detector takes nothing (is it there? does it want TURNWATCH_API_TOKEN?): nobody watches turn $turn" >&2; untold=yes; }
}

say turnwatch.turn.started turnwatch.turn.parent_id "${PARENT_ID:-planner}" gen_ai.agent.name shell
say turnwatch.request.started turnwatch.request.id r1
for word in ${WORDS:-one two three}; do
  say turnwatch.stream.chunk turnwatch.request.id r1 turnwatch.chunk.kind text
  sleep "${PAUSE:-1}"
done
say turnwatch.request.ended turnwatch.request.id r1 turnwatch.outcome completed
say turnwatch.turn.ended turnwatch.outcome completed
