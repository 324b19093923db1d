#!/usr/bin/env bash
# Set-up if needed, then the main job in about a minute: sample data if none is given, a sweep, the recommendation.
#   scripts/quickstart.sh [--data DIR]
# Ends with 0, or with the first sweep's exit code that left a device without an answer (feedtune's own codes).
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
data=""
while [ $# -gt 0 ]; do
  case "$1" in
    --data)
      [ $# -ge 2 ] && [ -n "$2" ] || { echo "quickstart.sh: --data needs a folder" >&2; exit 2; }
      case "$2" in
        /*) data=$2 ;;
        *) data=$started_in/$2 ;;
      esac
      shift 2 ;;
    *) echo "quickstart.sh: unknown argument '$1' (accepted: --data DIR)" >&2; exit 2 ;;
  esac
done

[ -x build/feedtune ] || scripts/setup.sh
feedtune=build/feedtune

if [ -z "$data" ]; then
  data=build/sample-data
  "$feedtune" make-data "$data" --images 1000 --seed 1
fi

# sweep DEVICE WHAT: one sweep. Exit 7 (some trials failed) still has an answer; after another failure the next device may
# have one; a signal (128 and up) was meant for all of them.
status=0
sweep() {
  local run code=0
  run="build/runs/quickstart-$(date +%Y%m%d-%H%M%S)-${1//:/-}"
  echo
  echo "== $2"
  "$feedtune" sweep configs/quick.json --data "$data" --device "$1" --out "$run" || code=$?
  [ "$code" -lt 128 ] || exit "$code"
  [ "$code" = 0 ] || [ "$code" = 7 ] || [ "$status" != 0 ] || status=$code
}
sweep cpu "training on this machine's CPU"
sweep virtual:rtx-4090 "what an RTX 4090 would get from this host (its time is modelled, the host's side is real)"
exit "$status"
