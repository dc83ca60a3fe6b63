#!/usr/bin/env bash
# Types the README's first command on a fresh data directory, waits until it is ready, runs the first steps that it
# names where it writes to no terminal, stops it, and starts it again to see that the second start finds its data.
set -euo pipefail
set -m # each job its own process group: a signal reaches npm and what it started, as ctrl-C would
work=$(mktemp -d)
port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
export CARDEA_DATA_DIR="$work/data" CARDEA_PORT="$port"
trap 'kill -- "-${pid:-0}" 2>/dev/null || true; rm -rf "$work"' EXIT

ready() {
  for _ in $(seq 1 600); do
    curl -sf "http://127.0.0.1:$port/ready" >/dev/null && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  echo 'It did not become ready:'; cat "$1"; return 1
}
finish() {
  kill -TERM -- "-$pid"
  for _ in $(seq 1 300); do kill -0 -- "-$pid" 2>/dev/null || return 0; sleep 0.2; done
  echo 'It did not stop within 60 s'; return 1
}

npm start >"$work/first.log" 2>&1 & pid=$!
ready "$work/first.log"
line=$(grep -m1 -oE '\. .*/first-steps\.sh$' "$work/first.log")
echo "$line"
if grep -q SAIL_CLIENT_SECRET "$work/first.log"; then echo 'The log holds the secret'; exit 1; fi
answer=$($line)
echo "${answer:0:200}"
case "$answer" in '[{'*) ;; *) echo 'The first search did not answer with documents'; exit 1 ;; esac
finish

node --enable-source-maps dist/bundle/cardea.js demo >"$work/second.log" 2>&1 & pid=$!
ready "$work/second.log"
cat "$work/second.log"
again=$($(grep -m1 -oE '\. .*/first-steps\.sh$' "$work/second.log"))
[ "$again" = "$answer" ] || { echo 'The second start answers otherwise'; exit 1; }
finish
