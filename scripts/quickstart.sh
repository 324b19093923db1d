#!/usr/bin/env bash
# Set-up if needed, then the main job in about a minute: sample data if none is given, a sweep, the recommendation.
#   scripts/quickstart.sh [--data DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
data=""
while [ $# -gt 0 ]; do
  case "$1" in
    --data)
      [ $# -ge 2 ] || { echo "quickstart.sh: --data needs a folder" >&2; exit 2; }
      data=$2; shift 2 ;;
    *) echo "quickstart.sh: unknown argument '$1' (accepted: --data DIR)" >&2; exit 2 ;;
  esac
done

[ -x build/feedtune ] || scripts/setup.sh
feedtune=build/feedtune

if [ -z "$data" ]; then
  data=build/sample-data
  "$feedtune" make-data "$data" --images 1000 --seed 1
fi

# sweep DEVICE WHAT: one sweep; exit 7 (some trials failed) still has an answer.
sweep() {
  local run
  run="build/runs/quickstart-$(date +%Y%m%d-%H%M%S)-${1//:/-}"
  echo
  echo "== $2"
  "$feedtune" sweep configs/quick.json --data "$data" --device "$1" --out "$run" || [ $? = 7 ]
}
sweep cpu "training on this machine's CPU"
sweep virtual:rtx-4090 "what an RTX 4090 would get from this host (its time is modelled, the host's side is real)"
