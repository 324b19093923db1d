"""Whether a loader's output is the reference's, before anything is timed (reference.py says what that is)."""
import json
import os
import subprocess

import registry

REFERENCE_ENVIRONMENT = "venv"
KINDS_THAT_MAY_DIFFER = ("cmyk",)  # decoders disagree on what CMYK means; 0.5 % of the files. Stated, not bounded.


class CheckFailed(Exception):
    pass


def run_quietly(command, variables, timeout_s=1800):
    """Throws CheckFailed with the end of what the command printed."""
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=timeout_s)
    if done.returncode != 0:
        raise CheckFailed((done.stderr or done.stdout).strip()[-400:] or f"exit code {done.returncode}")
    return done


class Checker:
    def __init__(self, cache, programs, data, folder):
        self._cache, self._programs, self._folder = cache, programs, folder
        self._python = f"{cache}/{REFERENCE_ENVIRONMENT}/bin/python"
        os.makedirs(folder, exist_ok=True)
        run_quietly([self._python, f"{registry.HERE}/reference.py", "make", data, folder], dict(os.environ))

    def check(self, loader):
        """The differences with a note; throws CheckFailed when they are beyond the loader's bound."""
        if loader.BOUND_LEVELS is None:
            return {"note": getattr(loader, "NOT_CHECKED", "makes no pixels")}
        output = f"{self._folder}/{loader.NAME}.f32"
        try:
            boxes = f"{self._folder}/boxes.txt"
            run_quietly(registry.check_command(loader, self._cache, self._programs, boxes, output),
                        registry.environment(loader, self._cache))
            compare = [self._python, f"{registry.HERE}/reference.py", "compare", self._folder, loader.RESIZE, output]
            kinds = json.loads(run_quietly(compare, dict(os.environ)).stdout)["kinds"]
        finally:
            if os.path.exists(output):
                os.remove(output)
        return judge(loader, kinds)


def judge(loader, kinds):
    """`kinds`: reference.py's differences by kind of file."""
    notes, bounded = [], {}
    for kind, values in kinds.items():
        if values["unreadable"]:
            notes.append(f"{values['unreadable']} of {values['images']} {kind} files unreadable")
        if "mean_levels" not in values:
            continue
        if kind in KINDS_THAT_MAY_DIFFER and values["worst_image_levels"] > loader.BOUND_LEVELS:
            notes.append(f"{kind} differs by {values['mean_levels']:.1f} levels")
        else:
            bounded[kind] = values
    if not bounded:
        raise CheckFailed(f"nothing to compare: {'; '.join(notes)}")
    unreadable = [k for k, v in kinds.items() if v["unreadable"] and k not in KINDS_THAT_MAY_DIFFER]
    worst = max(bounded, key=lambda k: bounded[k]["worst_image_levels"])
    if bounded[worst]["worst_image_levels"] > loader.BOUND_LEVELS:
        raise CheckFailed(f"{worst} differs by {bounded[worst]['worst_image_levels']:.2f} levels, at most "
                          f"{loader.BOUND_LEVELS} allowed ({loader.RESIZE})")
    if unreadable:
        raise CheckFailed("; ".join(notes))
    if hasattr(loader, "OWN_CROPS"):
        notes.append(loader.OWN_CROPS)
    images = sum(v["images"] for v in bounded.values())
    return {"resize": loader.RESIZE, "bound_levels": loader.BOUND_LEVELS, "images": images,
            "mean_levels": sum(v["mean_levels"] * v["images"] for v in bounded.values()) / images,
            "worst_image_levels": bounded[worst]["worst_image_levels"],
            "max_levels": max(v["max_levels"] for v in bounded.values()), "kinds": kinds, "note": "; ".join(notes)}
