"""CPU time and memory of a whole session of processes, and of the machine, read from /proc."""
import os

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def stat_fields(text):
    """The fields of /proc/PID/stat after the name, which may itself hold spaces and brackets: [0] is the state."""
    return text[text.rindex(")") + 2:].split()


def members(session, proc="/proc"):
    """Process ids of the session, and their stat fields. Processes that end meanwhile are left out."""
    found = {}
    for entry in os.listdir(proc):
        if not entry.isdigit():
            continue
        try:
            with open(f"{proc}/{entry}/stat") as file:
                fields = stat_fields(file.read())
        except OSError:
            continue
        if int(fields[3]) == session:
            found[int(entry)] = fields
    return found


def cpu_s(session, proc="/proc"):
    """User and system seconds of the session's processes and of the children that they have waited for."""
    return sum(sum(int(f) for f in fields[11:15]) for fields in members(session, proc).values()) / TICKS_PER_S


def pss_bytes(session, proc="/proc"):
    """Proportional set size: pages that k processes share count 1/k in each."""
    total = 0
    for pid in members(session, proc):
        try:
            with open(f"{proc}/{pid}/smaps_rollup") as file:
                total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
        except OSError:
            continue
    return total


def machine_busy_s(proc="/proc"):
    """CPU seconds that the machine spent on anything but idling since it started, stolen time included."""
    with open(f"{proc}/stat") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = (int(v) for v in file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS_PER_S
