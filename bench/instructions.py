#!/usr/bin/env python3
"""Instructions per image of the hot path, counted by callgrind: they don't wander as times do.

    bench/instructions.py                 compare with bench/instructions.json; exit 1 if a phase costs over 2 % more
    bench/instructions.py --update        write what was counted to bench/instructions.json
    bench/instructions.py --build DIR     the build folder (default: build)

Counts hold for one compiler, libjpeg-turbo and instruction set: elsewhere the comparison is skipped (exit 77), and the
counts are still printed. callgrind offers AVX2 at most, so the AVX-512 path is not counted.
"""
import argparse, json, pathlib, re, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "instructions.json"
PHASES = ("decode", "antialias", "linear", "image")
IMAGES = 24
TOLERANCE = 0.02
SKIPPED = 77


def count(program, phase, folder, scratch):
    """(instructions per image, instruction set) of one phase."""
    out = scratch / f"{phase}.callgrind"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=counted", f"--callgrind-out-file={out}", program, phase, folder]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"instructions.py: {' '.join(map(str, command))} failed:\n{run.stderr}")
    images, target = run.stdout.split()
    total = int(re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.M).group(1))
    return total / int(images), target


def library_version(program):
    """The libjpeg that the program loads, by its file's name (libjpeg.so.62.3.0)."""
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return pathlib.Path(re.search(r"=> (\S*libjpeg\S*)", loaded).group(1)).resolve().name


def compiler(build):
    cache = (build / "CMakeCache.txt").read_text()
    path = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.M).group(1)
    kind = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.M).group(1)
    version = subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{pathlib.Path(path).resolve().name} {version} {kind}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("instructions.py: skipped: valgrind is not installed (scripts/setup.sh --tests installs it)")
        return SKIPPED
    program = arguments.build / "bench" / "instruction-count"
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        images = scratch / "images"
        subprocess.run([arguments.build / "feedtune", "make-data", images, "--images", str(IMAGES), "--seed", "1"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        counts = {}
        for phase in PHASES:
            counts[phase], target = count(program, phase, images, scratch)
    where = {"compiler": compiler(arguments.build), "libjpeg": library_version(program), "instruction_set": target}
    if arguments.update:
        RECORD.write_text(json.dumps({**where, "images": IMAGES, "instructions_per_image": {p: round(c) for p, c in counts.items()}},
                                     indent=2) + "\n")
    record = json.loads(RECORD.read_text())
    expected = record["instructions_per_image"]
    comparable = all(record[key] == value for key, value in where.items())
    print(f"instructions per image ({', '.join(where.values())})")
    worse = False
    for phase, value in counts.items():
        change = value / expected[phase] - 1
        verdict = ""
        if comparable and change > TOLERANCE:
            worse, verdict = True, f"  over the recorded count by more than {TOLERANCE:.0%}"
        elif comparable and change < -TOLERANCE:
            verdict = "  better: record it with --update"
        print(f"  {phase:<10} {value:>12,.0f}   recorded {expected[phase]:>12,}   {change:+.1%}{verdict}")
    if not comparable:
        recorded = ", ".join(record[key] for key in where)
        print(f"skipped: recorded for {recorded}")
        return SKIPPED
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
