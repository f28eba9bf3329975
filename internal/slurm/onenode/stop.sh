#!/bin/bash
# Stops the daemons started by start.sh DIR, except munged, which others may use.
dir=${1:?usage: stop.sh DIR}
for daemon in slurmctld slurmd; do
	[ -e "$dir/$daemon.pid" ] && kill "$(cat "$dir/$daemon.pid")"
done
