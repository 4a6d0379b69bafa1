"""Runs the tests of the handset against its peers; see `test`."""
import sys
import traceback

import baresip
import callers
import calls
import dialogs
import peers
import registration
import secure
import service
import strangers
import unit

MODULES = [calls, callers, dialogs, peers, strangers, service, registration, baresip, secure, unit]


def run():
    chosen = sys.argv[3:]
    failures = 0
    tests = [(name[5:], body) for module in MODULES for name, body in vars(module).items() if name.startswith("test_")]
    tests = [(name, body) for name, body in tests if not chosen or any(part in name for part in chosen)]
    for name, body in tests:
        try:
            body()
            print(f"VoIPHandset: {name} passed", flush=True)
        except Exception:
            failures += 1
            print(f"VoIPHandset: {name} FAILED", flush=True)
            traceback.print_exc()
    print(f"VoIPHandset: {len(tests) - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    run()
