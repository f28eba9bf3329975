#!/usr/bin/env bash
# What llvm-mca predicts for the inner loops of NEON kernels:
#
#	scripts/neon/predict.sh gemmNEON6x4 expNEON…
#
# For each innermost loop: its instructions, FMLAs and loads, and by processor the
# cycles of an iteration with the FMLAs begun in a cycle. Needs llvm; $LLVM is the ending
# of its programs' names (-22). $CPUS replaces the processors.
set -euo pipefail
cd "$(dirname "$0")/../.."

llvm=${LLVM:-}
cpus=${CPUS:-neoverse-n1 neoverse-v1 cortex-a76 cortex-x1 apple-m1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOARCH=arm64 go build -o "$work/exp" ./cmd/exp

for kernel in "$@"; do
	rm -f "$work"/loop*
	"llvm-objdump$llvm" -d --no-show-raw-insn --disassemble-symbols="imdbexp/internal/simd.$kernel.abi0" "$work/exp" |
		awk -F '\t' -v out="$work/loop" '
		/^ *[0-9a-f]+:/ {
			split($1, address, ":"); gsub(/ /, "", address[1])
			at[address[1]] = ++n
			sub(/ *<.*/, "", $3); text[n] = $2 " " $3
			if ($2 ~ /^(b|b\..*|cbn?z|tbn?z)$/ && match($3, /0x[0-9a-f]+$/)) {
				target = substr($3, RSTART + 2)
				if (target in at) { from[++loops] = at[target]; to[loops] = n }
			}
		}
		END {
			for (i = 1; i <= loops; i++) {
				inner = 1
				for (j = 1; j <= loops; j++)
					if (j != i && from[j] >= from[i] && to[j] <= to[i]) inner = 0
				if (!inner) continue
				file = out i ".s"
				print "top:" > file
				for (k = from[i]; k <= to[i]; k++) {
					if (text[k] ~ /^(b|cb|tb)/) sub(/0x[0-9a-f]+$/, k == to[i] ? "top" : "after", text[k])
					print text[k] > file
				}
				print "after:" > file
			}
		}'
	for loop in "$work"/loop*.s; do
		fmla=$(grep -c '^fml[as] ' "$loop" || true)
		printf '%s\t%d instructions\t%d FMLA\t%d loads\n' "$kernel" $(($(wc -l <"$loop") - 2)) "$fmla" "$(grep -c '^ld' "$loop")"
		for cpu in $cpus; do
			"llvm-mca$llvm" -mtriple=aarch64 -mcpu="$cpu" -iterations=200 "$loop" |
				awk -v cpu="$cpu" -v fmla="$fmla" '/^Total Cycles/ { c = $3 / 200; printf "\t%s\t%.1f cycles\t%.2f FMLA a cycle\n", cpu, c, fmla / c }'
		done
	done
done
