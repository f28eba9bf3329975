#!/bin/bash
# Starts a Slurm of one node on this machine, for trying exp run --on slurm:
#
#	apt-get install -y --no-install-recommends slurm-wlm munge
#	internal/slurm/onenode/start.sh DIR     # as root; DIR is to hold its state
#	export SLURM_CONF=DIR/slurm.conf
#	internal/slurm/onenode/stop.sh DIR
#
# No accounting: sacct says it is disabled, as on many small clusters.
set -eu
dir=$(realpath -m "${1:?usage: start.sh DIR}")
mkdir -p "$dir"/{state,spool,log} /run/munge
chown munge:munge /run/munge
[ -e /etc/munge/munge.key ] || /usr/sbin/mungekey -c
chown munge:munge /etc/munge/munge.key
munge -n 2> /dev/null | unmunge > /dev/null 2>&1 || su -s /bin/sh munge -c /usr/sbin/munged
munge -n | unmunge | head -1
host=$(hostname -s)
cat > "$dir/slurm.conf" << CONF
ClusterName=onenode
AuthType=auth/munge
SlurmUser=root
SlurmdUser=root
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=4000
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
slurmctld
slurmd
for _ in {1..20}; do
	sinfo -h -o %T | grep -q idle && break
	sleep 1
done
sinfo
echo "export SLURM_CONF=$SLURM_CONF"
