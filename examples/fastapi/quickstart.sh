#!/bin/sh
# From a checkout to a running app: the element of this checkout, Python's packages, the server.
set -eu
cd "$(dirname "$0")"
(cd ../.. && npx --yes bun@1.4.5 install && npx --yes bun@1.4.5 run build:client)
rm -rf static/watchword && cp -R ../../dist/client static/watchword
[ -d .venv ] || python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
exec .venv/bin/uvicorn main:app --port "${PORT:-3000}"
