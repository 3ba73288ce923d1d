#!/bin/bash
# same_on_ranks.sh PROGRAM ARGUMENT…: a data-driven application says that its result is right, on this machine with one and with
# several workers, and on two, three and four MPI ranks, with the same digest each time.
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
alone=$("$@") || exit 1
echo "$alone"
[[ $alone == *": results agree, digest "* ]] || exit 1
check() {
  local said
  said=$("$@" 2>&1) || { echo "$* failed: $said"; exit 1; }
  [[ $said == "$alone" ]] || { echo "$* said: $said"; exit 1; }
}
RADDLE_DDM_WORKERS=1 check "$@"
RADDLE_DDM_WORKERS=4 check "$@"
if [[ $(ldd "$1") == *libmpi* ]]; then
  for ranks in 2 3 4; do
    check timeout -k 5 60 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl self,vader,tcp -n $ranks "$@"
  done
fi
