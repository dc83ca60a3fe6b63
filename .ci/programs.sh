#!/usr/bin/env bash
# Installs the programs that the tests of test/backends/ and the benchmarks need, from Debian's packages, where they are missing.
set -euo pipefail
missing=()
need() { # package, command that succeeds where it is there
  "${@:2}" >/dev/null 2>&1 || missing+=("$1")
}
need maven command -v mvn
need chromium-headless-shell command -v chromium-headless-shell
need nginx-light command -v nginx
need caddy command -v caddy
need redis-server command -v redis-server
need strace command -v strace
need wrk command -v wrk
need openssl command -v openssl
need prometheus command -v promtool
need python3-venv python3 -c 'import ensurepip'
[ ${#missing[@]} -gt 0 ] || exit 0
apt-get update -qq >/dev/null
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
