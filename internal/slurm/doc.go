// Package slurm submits a list of tasks to Slurm as one job array and tells how
// they are doing. It calls Slurm's own commands (sbatch, squeue, scontrol, sacct),
// so that it needs no library of theirs.
//
// A Grid is the folder in which the list is kept, so that a later process can go
// on following it:
//
//	tasks.txt    a line a task: the words of its exp run
//	runs.txt     a line a task: the folder of its run, relative to the runs
//	job.sh       the batch script, the same for all tasks
//	jobs.json    what was submitted
//	ends.json    how tasks ended, which Slurm forgets
//	log/         what each task printed: JOB_TASK.log
//
// The run folders say how far a task has got; Slurm says whether it waits, runs or
// has ended, and how.
package slurm
