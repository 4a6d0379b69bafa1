#!/bin/sh
# Fuzzes one container's reader: Fuzz/run.sh caf|aiff|wave [SECONDS [FURTHER LIBFUZZER OPTIONS...]]
#
# Needs the Swift toolchain alone. Seeds come from Tests/Targets/SoundFileTests/Corpus; what is found new is kept in .build/fuzz.
# FUZZ_TIMEOUT gives another number of seconds, for machines that are busy with other things: they are counted by the clock.
# An input is at most 1 KiB long. One that takes longer than a second, or allocates more than 65 MiB at once, counts as a
# finding.
set -eu
cd "$(dirname "$0")/.."
case ${1-} in
caf | aiff | wave) ;;
*)
    echo "usage: Fuzz/run.sh caf|aiff|wave [SECONDS [FURTHER LIBFUZZER OPTIONS...]]" >&2
    exit 64
    ;;
esac
container=$1
seconds=${2:-60}
[ $# -ge 2 ] && shift 2 || shift 1
out=.build/fuzz
mkdir -p "$out/corpus-$container" "$out/module"
name=$(echo "$container" | tr '[:lower:]' '[:upper:]')
swiftc -O -wmo -swift-version 6 -sanitize=fuzzer,address -parse-as-library -emit-module -module-name SoundFile \
    -emit-module-path "$out/module/SoundFile.swiftmodule" -c $(find Sources/Sound/SoundFile -name '*.swift') \
    -o "$out/SoundFile-$container.o"
swiftc -O -wmo -swift-version 6 -sanitize=fuzzer,address -parse-as-library -D "FUZZ_$name" -I "$out/module" \
    Fuzz/FuzzSoundFile.swift "$out/SoundFile-$container.o" -o "$out/fuzz-$container"
export ASAN_OPTIONS="${ASAN_OPTIONS:-quarantine_size_mb=4:detect_leaks=0:malloc_context_size=2}"
exec "$out/fuzz-$container" -max_total_time="$seconds" -max_len=1024 -timeout="${FUZZ_TIMEOUT:-1}" -report_slow_units=1 -rss_limit_mb=512 -malloc_limit_mb=65 \
    -artifact_prefix="$out/" -print_final_stats=1 "$@" "$out/corpus-$container" Tests/Targets/SoundFileTests/Corpus
