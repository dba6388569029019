#!/bin/bash
# Builds the page into DIRECTORY: client/web/build.sh DIRECTORY. Needs node, npm and protoc; what npm
# installs is fixed by package-lock.json and checked by its hashes. Exits 3 where npm cannot fetch it.
set -euo pipefail
out=$(readlink -m "$1")
cd "$(dirname "$(readlink -f "$0")")"

# Installed already, by this very lock file?
if ! cmp -s package-lock.json node_modules/.pinka-lock; then
  npm ci --fetch-retries=1 --no-fund --no-audit --loglevel=error >&2 || {
    echo "the page is not built: npm could not fetch its packages" >&2
    exit 3
  }
  cp package-lock.json node_modules/.pinka-lock
fi
rm -rf gen
mkdir gen
(cd ../../proto && protoc --plugin="protoc-gen-es=$OLDPWD/node_modules/.bin/protoc-gen-es" \
  --es_out="$OLDPWD/gen" --es_opt=target=ts pinka/v1/*.proto)
npm run --silent build -- --outDir "$out" --emptyOutDir --logLevel warn
