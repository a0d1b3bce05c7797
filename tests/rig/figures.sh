#!/usr/bin/env bash
# figures.sh FAULT[+FAULT]...: what the link of a host carries with these faults, as rows of a table: Gbit/s of 250 MB over one TCP
# connection, the opening and closing of an empty one, and segments sent again. Run by tests/launch/slurm.sh --rig 4.
set -uo pipefail
. "${0%/*}/lib.sh"
rate() { awk -v seconds="$1" 'BEGIN {if (seconds == "never") print seconds; else printf "%.3f", 2 / seconds}'; }
RANDOM=1
echo '| | sending, Gbit/s | receiving | empty connection | sent again |'
echo '|---|---:|---:|---:|---:|'
for faults_of_host in none "$@"; do
  if [ "$faults_of_host" != none ]; then for fault in ${faults_of_host//+/ }; do inject "$fault" 2 || exit 2; done; fi
  before=$(($(resent 1) + $(resent 2)))
  sending=$(rate "$(stream 2 1 250000000)") receiving=$(rate "$(stream 1 2 250000000)")
  again=$(($(resent 1) + $(resent 2) - before))
  empty=$(for _ in 1 2 3 4 5; do stream 2 1 0; done | sort -g | sed -n 3p)
  echo "| \`$faults_of_host\` | $sending | $receiving | $(awk -v s="$empty" 'BEGIN {printf "%.1f ms", 1000 * s}') | $again |"
  heal 2
done
