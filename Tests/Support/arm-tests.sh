# The tests of this package for ARM, sourced by the scripts that run them, in this package's folder, with architecture set: arm64
# or armhf.
# shellcheck shell=bash disable=SC2034,SC2154
#
# A file of exceptions has a line for each: a regular expression of tests' names, a blank, and why they cannot pass there.

# Where the tests are built, and their program's path below it.
case $architecture in
arm64) built=.build/debian/arm64 program=aarch64-unknown-linux-gnu/debug/ringerPackageTests.xctest ;;
armhf) built=.build/trixie-armhf program=armv7-unknown-linux-gnueabihf/debug/ringerPackageTests.xctest ;;
esac

# Builds them for arm64 with Debian's compiler, whose library of tests fits its others.
build_arm64() {
    scripts/swift-debian arm64 --build-tests
}

# Builds those for armhf that need neither Foundation nor Dispatch, and what they start, with the installed compiler. SwiftPM links a program of tests
# without the file that names what Swift's static library needs.
build_armhf() {
    local testing option options=() armhf_tests="LabTests BehaviourTests RingerCoreTests RingerDaemonTests RingerPolicyTests SessionRulesTests"
    testing=$(scripts/arm trixie-armhf testing) || return
    for option in "$testing/libTesting.a" -ldispatch -lBlocksRuntime -lstdc++ -lm -l:libatomic.a; do options+=(-Xlinker "$option"); done
    RINGER_WITHOUT_FOUNDATION=1 RINGER_TESTS="$armhf_tests" RINGER_TESTING_MACROS=$testing/libTestingMacros.so \
        scripts/arm trixie-armhf build --build-tests --experimental-test-entry-point-path "$testing/runner.swift" \
        -Xswiftc -I -Xswiftc "$testing" "${options[@]}"
}

# build_tests LOG
build_tests() {
    scripts/packages arm "lab-$architecture"
    "build_$architecture" >"$1" 2>&1 || {
        grep -E 'error:' "$1" | sort -u | head -n 20 >&2 || true
        tail -n 20 "$1" >&2
        return 1
    }
}

# emulated_tests ARGUMENT...: runs them, and the programs that they start, with qemu's emulation of a user's programs and
# Debian's libraries. RINGER_TEST_MINUTES: how long that may take, 120 by default.
emulated_tests() {
    local root
    root=$(Tests/Lab/arm/build-root "$architecture") || return
    timeout "${RINGER_TEST_MINUTES:-120}m" scripts/emulated env "QEMU_LD_PREFIX=$root" \
        LD_LIBRARY_PATH=/usr/libexec/swift/lib/swift/linux "$PWD/$built/$program" --testing-library swift-testing "$@"
}

# list_tests: the names of all tests, with those that are not built.
list_tests() {
    emulated_tests --list-tests
    [ "$architecture" = arm64 ] || echo 'LabTests.RealTime/CalendarTests/calendar()'
}

# read_exceptions FILE: sets skipped to the arguments that leave them out.
read_exceptions() {
    local name
    skipped=()
    while read -r name _; do skipped+=(--skip "$name"); done < <(grep -v '^#' "$1")
}

# check_share WHAT FILE PERCENT: prints how many tests of those whose names are read run in spite of the exceptions, and
# fails if they are less than PERCENT %, or if an exception has no reason or is of no test.
check_share() {
    local names name reason all run status=0
    names=$(cat)
    while read -r name reason; do
        [ -n "$reason" ] || { echo "$2: '$name' has no reason" >&2; status=1; }
        grep -qE -- "$name" <<<"$names" || { echo "$2: '$name' is of no test" >&2; status=1; }
    done < <(grep -v '^#' "$2")
    all=$(wc -l <<<"$names")
    # Without an exception no name matches.
    run=$(grep -cvE -f <(sed '/^#/d; s/ .*//' "$2") <<<"$names" || true)
    echo "$1: $run of $all tests run there, $((100 * run / all)) %; $2 has the others"
    [ $((100 * run)) -ge $(($3 * all)) ] || { echo "$1: that is less than $3 %" >&2; status=1; }
    return $status
}
