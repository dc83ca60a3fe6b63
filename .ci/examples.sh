#!/usr/bin/env bash
# Runs the examples of examples/ as a user would: with the packed package, Vitest, Jest and pytest in an empty folder. The
# examples for node:test run in `npm test`.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package="$work/$(npm pack --silent --pack-destination "$work")"
client=$(node -p "require('./package.json').devDependencies['sailpoint-api-client']")
cp -r examples "$work/examples"
cd "$work"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund "$package" "sailpoint-api-client@$client" \
  vitest@3.2.4 jest@30.2.0 @jest/globals@30.2.0 @babel/core@7 @babel/preset-env@7 @babel/preset-typescript@7
npx vitest run --root examples vitest/
(cd examples && npx jest --rootDir . --testMatch '<rootDir>/jest/*.test.ts' --transform '{"\\.ts$":["babel-jest",{"configFile":"./jest/babel.config.cjs"}]}')
python3 -m venv python && python/bin/pip install --quiet pytest==8.4.2
CARDEA='npx --no-install cardea' python/bin/python -m pytest -q -p no:cacheprovider examples/pytest
echo 'The examples run'
