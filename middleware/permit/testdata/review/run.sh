#!/bin/bash
# Copyright The toolscope Authors
# SPDX-License-Identifier: Apache-2.0
# run.sh BIN [SEED] [COUNT]: judges the attack set with the binary BIN in a folder of its own, and names the file of the
# lines that are faults. It runs none of them.
set -e
D=$(cd "$(dirname "$0")" && pwd); S=${2:-1}; N=${3:-2600}; W=$(mktemp -d); umask 077
"$D/fixture.sh" "$W/ws"; "$D/fixture2.sh" "$W/wsclean"; "$D/fixture2.sh" "$W/wsenv" env
nice python3 "$D/judge.py" "$1" "$S" "$N" "$W"
echo "faults: $W/faults.jsonl"
