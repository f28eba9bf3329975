#!/usr/bin/env bash
# How many instructions a pass of tme9-lstm over the sample takes on arm64, by level:
#
#	scripts/neon/count.sh [LEVEL…]
#
# A pass (training and evaluation) is the difference between a run of two epochs and a run
# of one. Needs qemu-user with plugins (7.0 or later) and a C compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -o "$work/count.so" scripts/neon/count.c
GOARCH=arm64 go build -o "$work/exp" ./cmd/exp

count() {
	EXP_DATA=$work/data qemu-aarch64 -plugin "$work/count.so" "$work/exp" run tme9-lstm "epochs=$2" \
		--workers 1 --simd "$1" --runs "$work/runs-$1-$2" 2>&1 >/dev/null | sed -n 's/^instructions: //p'
}

for level in "${@:-neon}"; do
	one=$(count "$level" 1)
	two=$(count "$level" 2)
	printf '%s\t%d million instructions a pass\n' "$level" $(((two - one) / 1000000))
done
