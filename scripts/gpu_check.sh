#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: everything that cannot be known without one, in under 8 minutes, as one JSON file
# (results/README.md describes it). Parts that fail don't stop the others.
#   scripts/gpu_check.sh [--bundle DIR] [-o FILE.json]
# --bundle: an unpacked bundle or a build folder; default: the bundle that this script lies in, else this source tree, which is built
# first (that is not counted). -o: default ./gpu-check.json.
# What the parts print, and their own files, stay in FILE.logs beside FILE.json (they name the host; the JSON does not), so that even a
# machine that goes down leaves them; `feedtune __gpu_check FILE.logs FILE.json` puts them together again.
# Exit code: 0 every part is ok or skipped; 7 one failed or took too long; 6 no GPU can be used here; 2 usage; 3 nothing to check; 5 I/O;
# 129, 130, 143 stopped by a signal: the JSON holds what was done until then.
set -uo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
bundle="" out=gpu-check.json
die() { echo "gpu_check.sh: $2" >&2; exit "$1"; }
while [ $# -gt 0 ]; do
  case "$1" in
    -h|--help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$(readlink -f "$0")"; exit 0 ;;
    -o|--bundle)
      [ $# -ge 2 ] && [ -n "$2" ] || die 2 "$1 needs a path"
      if [ "$1" = -o ]; then out=$2; else bundle=$2; fi
      shift 2 ;;
    *) die 2 "unknown argument '$1' (accepted: --bundle DIR, -o FILE.json)" ;;
  esac
done
[ -d "$(dirname "$out")" ] || die 2 "-o: no folder $(dirname "$out")"
[ -w "$(dirname "$out")" ] || die 5 "$(dirname "$out"): cannot be written to"
if [ -e "$out" ] || [ -L "$out" ]; then
  [ -f "$out" ] && [ ! -L "$out" ] && grep -q '"feedtune.gpu_check"' "$out" 2>/dev/null || die 3 "$out is there already, and no earlier check's; want a new file"
  echo "gpu_check: $out, of an earlier check, will be replaced" >&2
fi

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
SECONDS=0
started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
probe_limit=60 whole_s=470 end_s=30  # all of it in less than eight minutes, the last step included

scratch=$(mktemp -d) || die 5 "no temporary folder"
trap 'rm -rf "$scratch"' EXIT
job="" stopped=""
trap 'stop HUP 129' HUP
trap 'stop INT 130' INT
trap 'stop TERM 143' TERM
stop() {
  [ -n "$stopped" ] || stopped=$1 stopped_code=$2
  [ -z "$job" ] || kill "$job" 2>/dev/null
}
# Waits for $job; a signal ends it, and this goes on when it is gone.
wait_for_job() {
  local code=0
  wait "$job" || code=$?
  if [ -n "$stopped" ]; then wait "$job" 2>/dev/null; fi
  job=""
  return "$code"
}

# The first use of a GPU may take long where many have to be woken.
code=0
timeout -k 5 "$probe_limit" "$bundle/feedtune-bench" --device cuda --benchmark_list_tests >"$scratch/benchmarks" &
job=$!
wait_for_job || code=$?
[ -z "$stopped" ] || die "$stopped_code" "stopped by SIG$stopped before anything was measured"
case "$code" in
  0) ;;
  6) exit 6 ;;  # it has said why
  124|137) die 6 "the GPU gave no answer within $probe_limit s" ;;
  *) die 3 "feedtune-bench can't list its benchmarks: exit code $code" ;;
esac
logs=${out%.json}.logs
[ ! -e "$logs/parts.txt" ] || rm -rf "$logs"  # an earlier run's
mkdir "$logs" || die 5 "$logs: cannot be made, or is no folder of an earlier check"
work=$(cd "$logs" && pwd)
echo "$started" >"$work/started.txt" || die 5 "$logs: cannot be written to"

# part NAME LIMIT_S COMMAND...: one part, ended after its limit. skip NAME LIMIT_S WHY: one that this machine can't have.
part() {
  local name=$1 limit=$2 begin code=0 left=$((whole_s - end_s - SECONDS))
  shift 2
  [ -z "$stopped" ] || { skip "$name" "$limit" "stopped by SIG$stopped before it"; return; }
  [ "$left" -ge 10 ] || { skip "$name" "$limit" "the parts before it took all of the $whole_s s"; return; }
  [ "$limit" -le "$left" ] || limit=$left
  echo "gpu_check: $name" >&2
  begin=$(date +%s%N)
  timeout -k 5 "$limit" "$@" >"$work/$name.log" 2>&1 &  # so that a signal is not kept waiting
  job=$!
  wait_for_job || code=$?
  [ -z "$stopped" ] || code=SIG$stopped
  echo "$name $code $((($(date +%s%N) - begin) / 1000000)) $limit" >>"$work/parts.txt"
}
skip() { echo "$1 skip 0 $2 $3" >>"$work/parts.txt"; }
tests() { part "$1" "$2" "${@:4}" "$bundle/test_gpu" --gtest_filter="$3" --gtest_output="json:$work/$1.json"; }
# each NAME LIMIT_S EACH_S "ITEM..." COMMAND...: the command for each item (@ITEM@ in it; @FILE@: its NAME.ITEM.json) in a process of its own,
# so that one which crashes, hangs or loses the device leaves the others their figures. --foreground: ended with the part.
each() {
  local name=$1 limit=$2 one=$3
  shift 3
  part "$name" "$limit" bash -c 'one=$1 pattern=$2 list=$3 worst=0
    shift 3
    for item in $list; do
      code=0 words=()
      for word in "$@"; do words+=("${word//@FILE@/$pattern.${item//\//_}.json}"); done
      timeout --foreground -k 2 "$one" "${words[@]//@ITEM@/$item}" || { code=$? worst=$code; echo "$item: exit code $code"; }
    done
    exit $((worst != 0))' bash "$one" "$work/$name" "$@"
}
bench() {
  each "$1" "$2" "$3" "$(grep -E "$4" "$scratch/benchmarks" | sed 's|/manual_time$||; s|/iterations:1/real_time$||' | tr '\n' ' ')" \
    "$bundle/feedtune-bench" --device cuda --benchmark_filter="^@ITEM@(/|\$)" --benchmark_out=@FILE@ --benchmark_out_format=json
}
# The path of a program of the PATH or of the toolkit's usual place.
tool() { command -v "$1" || { [ -x "/usr/local/cuda/bin/$1" ] && echo "/usr/local/cuda/bin/$1"; }; }

fields=name,pci.bus_id,driver_version,vbios_version,compute_cap,memory.total,clocks.max.sm,clocks.max.memory,power.limit,persistence_mode
fields+=,pcie.link.gen.max,pcie.link.width.max,mig.mode.current,ecc.mode.current,compute_mode
if smi=$(tool nvidia-smi); then
  part environment 15 sh -c '"$1" --query-gpu="$2" --format=csv >"$3"' sh "$smi" "$fields" "$work/environment.csv"
else
  skip environment 15 "nvidia-smi is not installed"
fi

gradients='*CudaStep.LossAndGradients*'
fake=$(timeout -k 5 20 "$bundle/feedtune" devices | awk '$1 == "cuda" { print $3 }')  # tests/fake_cuda: a rehearsal
bench copies 60 15 '^copy/'
# NVIDIA's own rates: one line "pinned MIB GB/S" each; nvbandwidth's matrix has the first GPU's figure in its first row.
if nvidia=$(tool nvbandwidth); then
  part nvidia_copies 30 sh -c 'for mib in 1 16 256; do
      "$1" -t host_to_device_memcpy_ce -b $mib | tee /dev/stderr |
        awk -v mib=$mib "/CPU\(row\)/ { seen = 1 } seen && \$1 == \"0\" && ++row == 2 { print \"pinned\", mib, \$2 }" >>"$2" || exit 1
    done' sh "$nvidia" "$work/nvidia_copies.txt"
elif nvidia=$(tool bandwidthTest); then
  part nvidia_copies 30 sh -c 'for memory in pinned pageable; do for mib in 1 16 256; do
      bytes=$((mib * 1048576))
      "$1" --htod --memory=$memory --mode=range --start=$bytes --end=$bytes --increment=$bytes --csv | tee /dev/stderr |
        sed -n "s|.*Bandwidth = \([0-9.]*\) GB/s.*|$memory $mib \1|p" >>"$2" || exit 1
    done; done' sh "$nvidia" "$work/nvidia_copies.txt"
else
  skip nvidia_copies 30 "neither nvbandwidth nor bandwidthTest is installed"
fi
bench gemm 50 20 '^channel_gemm/'
bench memory_law 20 10 '^step_memory/'
tests tests 80 "-$gradients"
each gradients 50 25 "fp32 tf32 bf16 fp16" "$bundle/test_gpu" --gtest_filter="*CudaStep.LossAndGradients*/@ITEM@" --gtest_output=json:@FILE@

# Settings in which the step binds (many workers, uint8) and in which the link works (float32), from memory: no disk in the way.
workers=$(nproc)
[ "$workers" -le 16 ] || workers=16
[ "$workers" -gt 2 ] || workers=3
sweep=(--axis batch_size=128 --axis num_workers="2,$workers" --axis host_memory=pageable,pinned --axis input_type=uint8,float32
       --axis loader=pooled --axis storage=memory --trial-time 1.5s --budget 45s)
[ "$fake" != fake ] || sweep=(--model mixer-pico --image-size 64 --axis batch_size=8 --axis num_workers=0,1 --axis loader=pooled
                              --trial-time 0.2s --budget 12trials)
part sweep 70 sh -c 'program=$1 work=$2 images=$3; shift 3
  "$program" make-data --quiet --images 400 "$images" &&
  "$program" sweep --quiet --device cuda --data "$images" --out "$work/sweep" --no-anchors "$@" &&
  "$program" recommend --allow-fake "$work/sweep"' sh "$bundle/feedtune" "$work" "$scratch/images" "${sweep[@]}"

# Last: it is the slowest, and tells the least where the tests have passed. Not through a bundle's launcher, which is linked statically,
# so that nothing can be loaded into it: by the bundle's loader, with the path that the launcher would set.
checked=("$bundle/test_gpu")
[ ! -x "$bundle/lib/ld.so" ] ||
  checked=("$bundle/lib/ld.so" --library-path "$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/local/cuda/lib64:$bundle/lib/last" "$bundle/lib/test_gpu")
if [ "$fake" = fake ]; then
  skip memcheck 60 "the fake GPU runs kernels on the CPU"
elif sanitizer=$(tool compute-sanitizer); then
  part memcheck 60 env CUDA_MODULE_LOADING=LAZY FEEDTUNE_LAUNCHER="$bundle/test_gpu" "$sanitizer" --tool memcheck --error-exitcode 9 \
    "${checked[@]}" --gtest_filter='CudaMath.*' --gtest_output="json:$work/memcheck.json"
else
  skip memcheck 60 "compute-sanitizer is not installed"
fi

code=0
timeout -k 5 "$end_s" "$bundle/feedtune" __gpu_check "$work" "$out" &
composed=$!
wait "$composed" || code=$?
while kill -0 "$composed" 2>/dev/null; do wait "$composed"; code=$?; done  # a signal does not end it: it takes seconds
[ -z "$stopped" ] || { echo "gpu_check: stopped by SIG$stopped; $out" >&2; exit "$stopped_code"; }
[ "$code" = 0 ] || [ "$code" = 7 ] || exit "$code"
echo "gpu_check: $out" >&2
exit "$code"
