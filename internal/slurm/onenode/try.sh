#!/bin/bash
# Trains four runs on the one-node Slurm that $SLURM_CONF names, in DIR. The time limit is so
# short that each run needs a second turn. One run is cancelled; one is stopped, and Slurm ends
# it at its time limit. Then the script gives the same command again, trains the four runs here
# without interruption, and checks that the bytes are the same. It takes ten minutes, mostly
# waiting: Slurm holds a job for two minutes before it restarts it.
#
#	internal/slurm/onenode/try.sh DIR [EPOCHS]      (exp on the path)
set -u
dir=${1:?usage: try.sh DIR [EPOCHS]} epochs=${2:-400}
mkdir -p "$dir" && cd "$dir" || exit 1
[ ! -e runs ] || { echo "$dir/runs is there already"; exit 2; }
words=(tme9-lstm data=sample seed=1..4 "epochs=$epochs")
printf '%s\n' 'margin: 20   # seconds' 'poll: 2s' 'options: [--time=1, --mem=500M]   # a minute' > slurm.yaml
say() { while IFS= read -r line; do echo "$(date +%T) $line"; done; }
grid() { { exp run "${words[@]}" --on slurm; echo "exit code $?"; } 2>&1 | say; }
until_says() { until grep -q "$1" first.log; do sleep 1; done; }

grid > first.log &
until_says '3/4.* runs on'
sleep 8
job=$(sed -n 's/.*submitted .* as job \([0-9]*\);.*/\1/p' first.log)
scancel "${job}_2"
until_says '4/4.* runs on'
sleep 8
run=runs/$(sed -n 4p runs/.slurm/*/tasks-1.txt | cut -f1)
kill -STOP "$(sed 's/^#\([0-9]*\) .*/\1/' "$run/.lock")" # now it does not hear the signal before the limit
wait
grid > second.log
cat first.log second.log

exp run "${words[@]}" --runs alone > alone.log || exit 1
bad=0
for run in alone/tme9-lstm/*/; do
	for file in metrics.jsonl entropy.jsonl predictions.tsv last.safetensors; do
		cmp "$run$file" "runs${run#alone}$file" || bad=1
	done
done
[ $bad = 0 ] && echo "the same bytes as in one go"
exit $bad
