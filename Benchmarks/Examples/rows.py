"""The rows that the benchmarks of the examples print."""
# What was measured beyond its target.
missed = []


def row(what, measured, target=None, unit="", places=1):
    verdict = "" if target is None else "ok" if measured <= target else "MISSED"
    if verdict == "MISSED":
        missed.append(what)
    limit = "-" if target is None else f"{target:.{places}f}"
    print(f"{what:64} {measured:10.{places}f} {limit:>10} {unit:6} {verdict}", flush=True)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
