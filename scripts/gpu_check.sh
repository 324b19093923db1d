#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: everything that cannot be known without one, in under 8 minutes, as one JSON file
# (results/README.md describes it). Parts that fail don't stop the others.
#   scripts/gpu_check.sh [--bundle DIR] [-o FILE.json]
# --bundle: an unpacked bundle or a build folder; default: the bundle that this script lies in, else this source tree, which is built
# first (that is not counted). -o: default ./gpu-check.json.
# Exit code: 0 every part is ok or skipped; 7 one failed or took too long; 6 no GPU can be used here; 2 usage; 3 nothing to check.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bundle="" out=gpu-check.json
die() { echo "gpu_check.sh: $2" >&2; exit "$1"; }
while [ $# -gt 0 ]; do
  case "$1" in
    -o|--bundle)
      [ $# -ge 2 ] && [ -n "$2" ] || die 2 "$1 needs a path"
      if [ "$1" = -o ]; then out=$2; else bundle=$2; fi
      shift 2 ;;
    *) die 2 "unknown argument '$1' (accepted: --bundle DIR, -o FILE.json)" ;;
  esac
done
[ -d "$(dirname "$out")" ] || die 2 "-o: no folder $(dirname "$out")"

if [ -z "$bundle" ] && [ -x "$here/feedtune" ]; then
  bundle=$here
elif [ -z "$bundle" ]; then
  bundle=$here/../build
  (cd "$here/.." && scripts/setup.sh --tests && cmake --build --preset default --target test_gpu) >&2 || die 3 "the build failed"
fi
for program in feedtune feedtune-bench test_gpu; do
  [ -x "$bundle/$program" ] || die 3 "$bundle has no $program"
done
bundle=$(cd "$bundle" && pwd)
# Says itself why not.
timeout -k 5 30 "$bundle/feedtune-bench" --device cuda --benchmark_list_tests >/dev/null || exit 6

work=$(mktemp -d) || die 5 "no temporary folder"
trap 'rm -rf "$work"' EXIT
job=""
trap '[ -z "$job" ] || kill "$job" 2>/dev/null; exit 130' INT TERM

# part NAME LIMIT_S COMMAND...: one part, ended after its limit. skip NAME LIMIT_S WHY: one that this machine can't have.
part() {
  local name=$1 limit=$2 begin code=0
  shift 2
  echo "gpu_check: $name" >&2
  begin=$(date +%s%N)
  timeout -k 5 "$limit" "$@" >"$work/$name.log" 2>&1 &  # so that a signal is not kept waiting
  job=$!
  wait "$job" || code=$?
  job=""
  echo "$name $code $((($(date +%s%N) - begin) / 1000000)) $limit" >>"$work/parts.txt"
}
skip() { echo "$1 skip 0 $2 $3" >>"$work/parts.txt"; }
tests() { part "$1" "$2" "${@:4}" "$bundle/test_gpu" --gtest_filter="$3" --gtest_output="json:$work/$1.json"; }
bench() { part "$1" "$2" "$bundle/feedtune-bench" --device cuda --benchmark_filter="$3" --benchmark_out="$work/$1.json" --benchmark_out_format=json; }
# The path of a program of the PATH or of the toolkit's usual place.
tool() { command -v "$1" || { [ -x "/usr/local/cuda/bin/$1" ] && echo "/usr/local/cuda/bin/$1"; }; }

fields=name,driver_version,vbios_version,compute_cap,memory.total,clocks.max.sm,clocks.max.memory,power.limit,persistence_mode
fields+=,pcie.link.gen.max,pcie.link.width.max,mig.mode.current,ecc.mode.current,compute_mode
if smi=$(tool nvidia-smi); then
  part environment 15 sh -c '"$1" --query-gpu="$2" --format=csv >"$3"' sh "$smi" "$fields" "$work/environment.csv"
else
  skip environment 15 "nvidia-smi is not installed"
fi

gradients='*CudaStep.LossAndGradients*'
tests tests 90 "-$gradients"
fake=$("$bundle/feedtune" devices | awk '$1 == "cuda" { print $3 }')  # tests/fake_cuda: a rehearsal
if [ "$fake" = fake ]; then
  skip memcheck 70 "the fake GPU runs kernels on the CPU"
elif sanitizer=$(tool compute-sanitizer); then
  tests memcheck 70 'GpuDevice.CopiesFrom*:*CudaMath.*' "$sanitizer" --tool memcheck --target-processes all --error-exitcode 9
else
  skip memcheck 70 "compute-sanitizer is not installed"
fi
tests gradients 50 "$gradients"

bench copies 50 '^copy/'
# NVIDIA's own rates: one line "pinned MIB GB/S" each; nvbandwidth's matrix has the first GPU's figure in its first row.
if nvidia=$(tool nvbandwidth); then
  part nvidia_copies 40 sh -c 'for mib in 1 16 256; do
      "$1" -t host_to_device_memcpy_ce -b $mib | tee /dev/stderr |
        awk -v mib=$mib "/CPU\(row\)/ { seen = 1 } seen && \$1 == \"0\" && ++row == 2 { print \"pinned\", mib, \$2 }" >>"$2" || exit 1
    done' sh "$nvidia" "$work/nvidia_copies.txt"
elif nvidia=$(tool bandwidthTest); then
  part nvidia_copies 40 sh -c 'for memory in pinned pageable; do for mib in 1 16 256; do
      bytes=$((mib * 1048576))
      "$1" --htod --memory=$memory --mode=range --start=$bytes --end=$bytes --increment=$bytes --csv | tee /dev/stderr |
        sed -n "s|.*Bandwidth = \([0-9.]*\) GB/s.*|$memory $mib \1|p" >>"$2" || exit 1
    done; done' sh "$nvidia" "$work/nvidia_copies.txt"
else
  skip nvidia_copies 40 "neither nvbandwidth nor bandwidthTest is installed"
fi
bench gemm 40 '^channel_gemm/'
bench memory_law 20 '^step_memory/'

sweep=(--axis batch_size=64,128 --axis num_workers=2,4 --axis host_memory=pageable,pinned --axis loader=pooled --trial-time 1.5s --budget 40s)
[ "$fake" != fake ] || sweep=(--model mixer-pico --image-size 64 --axis batch_size=8 --axis num_workers=0,1 --axis loader=pooled
                              --trial-time 0.2s --budget 12trials)
part sweep 75 sh -c 'program=$1 work=$2; shift 2
  "$program" make-data --quiet --images 400 "$work/images" &&
  "$program" sweep --quiet --device cuda --data "$work/images" --out "$work/sweep" --no-anchors "$@" &&
  "$program" recommend --allow-fake "$work/sweep"' sh "$bundle/feedtune" "$work" "${sweep[@]}"

code=0
"$bundle/feedtune" __gpu_check "$work" "$out" || code=$?
[ "$code" = 0 ] || [ "$code" = 7 ] || exit "$code"
echo "gpu_check: $out" >&2
exit "$code"
