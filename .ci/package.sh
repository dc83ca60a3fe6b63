#!/usr/bin/env bash
# Packs the npm package of a built checkout, installs it in an empty folder as a user would, and asks what it starts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'if [ -n "${pid:-}" ]; then kill "$pid"; wait "$pid" || true; fi; rm -rf "$work"' EXIT
package="$work/$(npm pack --silent --pack-destination "$work")"
tar -tzf "$package" | sed 's/^package\///' | awk -F/ '{ print $1 "/" $2 }' | sort | uniq -c
if tar -tzf "$package" | grep -v '^package/examples/' | grep -E '\.test\.|^package/(test|bench|node_modules|docs/decisions)/'; then echo 'The package holds tests or decisions'; exit 1; fi
for file in dist/bundle/cardea.js dist/bundle/serving-thread.js dist/bundle/LICENCES.txt dist/console/public/index.html \
  dist/bundle/testing.js dist/bundle/testing.cjs dist/bundle/testing.d.ts dist/bundle/testing.d.cts docs/fixture.schema.json \
  dist/documentation/index.html dist/guide/index.html dist/guide/errors.html docs/images/search.webp dist/package-lock.json deploy/cardea.service docs/configuration.md; do
  tar -tzf "$package" "package/$file" >/dev/null || { echo "The package lacks $file"; exit 1; }
done
mkdir "$work/user"
cd "$work/user"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund "$package"
port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
npx --no-install cardea --version
for program in 'import { startTenant } from "cardea/testing";' 'const { startTenant } = require("cardea/testing");'; do
  case "$program" in import*) file=tenant.mjs ;; *) file=tenant.cjs ;; esac
  echo "$program startTenant({ identities: 5 }).then((tenant) => tenant.reset().then(() => tenant.close()));" >"$file"
  node "$file"
done
node_modules/.bin/cardea demo --data-dir "$work/data" --port "$port" --identities 50 >"$work/log" 2>&1 & pid=$!
for _ in $(seq 1 600); do
  curl -sf "http://127.0.0.1:$port/ready" >/dev/null && break
  kill -0 "$pid" 2>/dev/null || { cat "$work/log"; exit 1; }
  sleep 0.2
done
answer=$(sh "$work/data/first-steps.sh")
case "$answer" in '[{'*) ;; *) echo "The first search answers ${answer:0:200}"; cat "$work/log"; exit 1 ;; esac
test "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/console/")" = 200
node "$here/links.mjs" "http://127.0.0.1:$port/docs/guide/"
test "$(curl -s -o /dev/null -w '%{redirect_url}' -H 'Accept: text/html' "http://127.0.0.1:$port/")" = "http://127.0.0.1:$port/console/"
# As a user who installs the command for all: the server is found by its data directory, in another terminal.
npm install --global --silent --no-audit --no-fund --prefix "$work/global" "$package"
export PATH="$work/global/bin:$PATH"
test "$(cardea search '*' --count --data-dir "$work/data")" = 50
cardea search '@accounts(disabled:true)' --rows accounts --csv --columns 'displayName,@accounts.name' --data-dir "$work/data" >"$work/rows.csv"
head -n 1 "$work/rows.csv" | grep -q '^displayName,accounts.name' && test "$(wc -l <"$work/rows.csv")" -gt 1
kill "$pid"; wait "$pid" || true; pid=
globalPort=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
cardea demo --data-dir "$work/global-data" --port "$globalPort" --identities 20 --profiles 0 >"$work/global-log" 2>&1 & pid=$!
for _ in $(seq 1 600); do
  grep -q 'Ctrl-C' "$work/global-log" && break
  kill -0 "$pid" 2>/dev/null || { cat "$work/global-log"; exit 1; }
  sleep 0.2
done
grep -q "^Console: http://127.0.0.1:$globalPort/console" "$work/global-log"
test "$(cardea search '*' --count --data-dir "$work/global-data")" = 20
kill "$pid"; wait "$pid" || true; pid=
test "$(cardea search '*' --count --data-dir "$work/global-data")" = 20
echo 'The package installs, also for all, starts and answers'
# As docs/run.md installs it for systemd: with the versions of the lock file.
mkdir "$work/opt"
tar -xzf "$package" -C "$work/opt" --strip-components=1
cd "$work/opt"
cp dist/package-lock.json .
npm ci --silent --omit=dev --ignore-scripts --no-audit --no-fund
node dist/bundle/cardea.js tenant create acme --data-dir "$work/acme" >/dev/null
node dist/bundle/cardea.js doctor --data-dir "$work/acme"
echo 'The package installs with the versions of its lock file'
