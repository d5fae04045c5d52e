#!/usr/bin/env bash
# Takes the screenshot that the documentation uses: screenshot.sh TOOLSCOPE FILE.
set -euo pipefail
port=$((20000 + RANDOM % 20000))
profile=$(mktemp -d)
"$1" demo --listen "127.0.0.1:$port" >/dev/null 2>&1 &
demo=$!
trap 'kill $demo; rm -rf "$profile"' EXIT
until curl -sf "http://127.0.0.1:$port/healthz" >/dev/null; do sleep 0.2; done
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1100,760 --user-data-dir="$profile" \
  --timeout=8000 --screenshot="$2" "http://127.0.0.1:$port/?window=total" >/dev/null 2>&1
