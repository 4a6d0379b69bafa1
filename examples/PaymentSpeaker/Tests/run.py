"""What PaymentSpeaker promises, against a broker: see the script `test` beside this file."""
import os
import shutil
import sys
import tempfile
import time

from broker import opened, processes
from cluster import cluster
from connections import (
    a_broker_that_sets_the_keep_alive, a_subscription_that_is_refused, messages_that_are_refused, reasons_in_sentences,
    results_of_an_outage)
from damage import a_damaged_ledger, a_damaged_ledger_on_a_small_disk
from disks import (
    a_full_disk, a_full_disk_while_results_wait, a_ledger_on_a_small_disk, a_ledger_that_cannot_be_read,
    a_ledger_that_cannot_be_written, a_notice_that_is_not_recorded)
from fleet import fleet
from kills import kills, some_kills
from notices import notices_of_every_kind, signed_notices_over_tls
from parts import heard_until_the_power_was_cut, heard_until_the_switch_was_flipped
from sessions import a_second_speaker, a_session_that_the_broker_forgot, two_providers
from surroundings import (
    a_clock_that_may_not_be_asked, an_output_that_nobody_reads, recordings_without_a_gap, the_board_of_the_service,
    what_systemd_expects)

scenarios = [
    some_kills, notices_of_every_kind, a_full_disk, a_full_disk_while_results_wait, a_ledger_on_a_small_disk,
    a_ledger_that_cannot_be_read, a_ledger_that_cannot_be_written, heard_until_the_switch_was_flipped,
    heard_until_the_power_was_cut, a_damaged_ledger, a_damaged_ledger_on_a_small_disk, a_notice_that_is_not_recorded,
    a_subscription_that_is_refused, messages_that_are_refused, a_broker_that_sets_the_keep_alive, reasons_in_sentences,
    what_systemd_expects,
    an_output_that_nobody_reads, results_of_an_outage, a_clock_that_may_not_be_asked, signed_notices_over_tls,
    recordings_without_a_gap, the_board_of_the_service, a_second_speaker, a_session_that_the_broker_forgot, two_providers]
# These take long, and run only when they are named.
long_ones = [kills, fleet, cluster]
chosen = sys.argv[4:]
unknown = set(chosen) - {scenario.__name__ for scenario in scenarios + long_ones}
if unknown:
    sys.exit(f"no such scenario: {', '.join(sorted(unknown))}")
if chosen:
    scenarios = [scenario for scenario in scenarios + long_ones if scenario.__name__ in chosen]
failed = 0
for scenario in scenarios:
    # The ledger waits for the disk at each payment: in memory the test does not measure the disk.
    directory = tempfile.mkdtemp(prefix="ringer-payments.", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    begin = time.monotonic()
    try:
        result = scenario(directory)
        opened.close()
        print(f"ok    {scenario.__name__}: {result} ({time.monotonic() - begin:.1f} s)", flush=True)
        shutil.rmtree(directory)
    except Exception as error:
        failed += 1
        print(f"FAILED {scenario.__name__}: {error!r}; its files are in {directory}", flush=True)
    finally:
        for process in processes:
            process.kill()
        opened.close()
print(f"payment speaker: {len(scenarios) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
