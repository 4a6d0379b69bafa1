#!/bin/sh
# Fuzzes one container's reader: Fuzz/run.sh caf|aiff|wave|mp3|ogg|flac [SECONDS [FURTHER LIBFUZZER OPTIONS...]]
#
# Needs the Swift toolchain alone, for MP3, which WAVE may have within it, ffmpeg and libmpg123 too, for Ogg and FLAC libsndfile; those are not instrumented. Seeds come from Tests/Targets/SoundFileTests/Corpus; what is found new is kept in .build/fuzz.
# FUZZ_TIMEOUT gives another number of seconds, for machines that are busy with other things: they are counted by the clock.
# An input is at most 1 KiB long, of Ogg and FLAC 16 KiB. One that takes longer than a second, or allocates more than 65 MiB at once, counts as a
# finding.
set -eu
cd "$(dirname "$0")/.."
case ${1-} in
caf | aiff | wave | mp3 | ogg | flac) ;;
*)
    echo "usage: Fuzz/run.sh caf|aiff|wave|mp3|ogg|flac [SECONDS [FURTHER LIBFUZZER OPTIONS...]]" >&2
    exit 64
    ;;
esac
container=$1
seconds=${2:-60}
[ $# -ge 2 ] && shift 2 || shift 1
out=.build/fuzz
mkdir -p "$out/corpus-$container" "$out/module"
name=$(echo "$container" | tr '[:lower:]' '[:upper:]')
for file in Sources/Sound/CMPG123/CMPG123.c Sources/Sound/CSndfile/CSndfile.c Sources/System/CLinux/library_loader.c; do
    clang -O1 -g -fsanitize=address -I Sources/Sound/CMPG123/include -I Sources/Sound/CSndfile/include -I Sources/System/CLinux/include -c "$file" \
        -o "$out/$(basename "$file" .c)-$container.o"
done
for module in Rules/FourCharacterCodes Sound/SoundFile; do
    swiftc -O -wmo -swift-version 6 -enable-experimental-feature Lifetimes -package-name ringer -I "$out/module" \
        -I Sources/Sound/CMPG123/include -I Sources/Sound/CSndfile/include -sanitize=fuzzer,address -parse-as-library -emit-module \
        -module-name "${module#*/}" -emit-module-path "$out/module/${module#*/}.swiftmodule" \
        -c $(find "Sources/$module" -name '*.swift') -o "$out/${module#*/}-$container.o"
done
swiftc -O -wmo -swift-version 6 -sanitize=fuzzer,address -parse-as-library -D "FUZZ_$name" -I "$out/module" \
    -I Sources/Sound/CMPG123/include -I Sources/Sound/CSndfile/include Fuzz/FuzzSoundFile.swift "$out"/*-"$container.o" -ldl -o "$out/fuzz-$container"
case $container in
wave | mp3 | ogg | flac) Fuzz/seeds "$container" "$out/corpus-$container" ;;
esac
# A tag of 20 bytes in front.
case $container in
caf) kinds=caf ;;
aiff) kinds='aiff aifc' ;;
wave) kinds=wav ;;
*) kinds= ;;
esac
for kind in $kinds; do
    for file in Tests/Targets/SoundFileTests/Corpus/*."$kind"; do
        { printf 'ID3\004\0\0\0\0\0\024' && head -c 20 /dev/zero && cat "$file"; } >"$out/corpus-$container/id3-$(basename "$file")"
    done
done
if [ "$container" = wave ]; then
    { printf 'ID3\004\0\0\0\0\0\024' && head -c 20 /dev/zero && cat "$out/corpus-wave/mp3.wav"; } >"$out/corpus-wave/id3-mp3.wav"
fi
length=1024
case $container in
ogg | flac) length=16384 ;;
esac
export ASAN_OPTIONS="${ASAN_OPTIONS:-quarantine_size_mb=4:detect_leaks=0:malloc_context_size=2}"
exec "$out/fuzz-$container" -max_total_time="$seconds" -max_len="$length" -timeout="${FUZZ_TIMEOUT:-1}" -report_slow_units=1 -rss_limit_mb=512 -malloc_limit_mb=65 \
    -artifact_prefix="$out/" -print_final_stats=1 "$@" "$out/corpus-$container" Tests/Targets/SoundFileTests/Corpus
