# bash, sourced by the other scripts: a cache outside of the checkout for what takes long to build and seldom changes.

lab_cache=${RINGER_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ringer}/lab

# report_progress LOG LINES: how much of a build is done, and when all of it will be, by the length of its log.
report_progress() {
    local built begin=$SECONDS
    while sleep "${progress_seconds:-10}" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        built=$(wc -l <"$1")
        [ "$built" -lt 1 ] || [ "$built" -ge "$2" ] ||
            echo "lab: $((100 * built / $2)) % is built, about $(((SECONDS - begin) * ($2 - built) / built / 60 + 1)) min more" >&2
    done
}

# cached_build NAME FILE FUNCTION [LINES]
#
# Prints the path of $lab_cache/NAME, which FUNCTION builds if its FILE is missing. FUNCTION is called in an empty
# folder, by one process at a time, and puts its result into ./result, which appears in the cache as a whole or not at
# all. Its output goes to a log; on failure the end of the log is printed. If the log is known to have some LINES, the
# progress is printed meanwhile.
cached_build() {
    local name=$1 file=$2 function=$3 lines=${4:-} work status reporter log="$lab_cache/$1.log"
    if [ ! -e "$lab_cache/$name/$file" ]; then
        mkdir -p "$lab_cache"
        exec {cache_lock}>"$lab_cache/$name.lock"
        flock "$cache_lock"
        # Another process may have built it while this one waited; a process that was killed may have left its files.
        if [ ! -e "$lab_cache/$name/$file" ]; then
            rm -rf "$lab_cache/build.$name".*
            work=$(mktemp -d "$lab_cache/build.$name.XXXXXX")
            echo "lab: building $name (log: $log)" >&2
            # Not in the condition of an if, where set -e has no effect. The lock must not be inherited by a process
            # that outlives this one.
            : >"$log"
            reporter=
            if [ -n "$lines" ]; then
                report_progress "$log" "$lines" >&2 {cache_lock}>&- &
                reporter=$!
            fi
            set +e
            (set -e && cd "$work" && mkdir result && "$function") >"$log" 2>&1 </dev/null {cache_lock}>&-
            status=$?
            set -e
            [ -z "$reporter" ] || kill "$reporter"
            if [ "$status" -ne 0 ]; then
                rm -rf "$work"
                tail -n 20 "$log" >&2
                echo "lab: building $name failed; the whole log is $log" >&2
                return 1
            fi
            rm -rf "${lab_cache:?}/$name"
            mv "$work/result" "$lab_cache/$name"
            rm -rf "$work"
        fi
        exec {cache_lock}>&-
    fi
    echo "$lab_cache/$name"
}

# The first 12 digits of a hash over files.
hash_of() {
    cat "$@" | sha256sum | cut -c 1-12
}
