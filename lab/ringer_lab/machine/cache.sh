# bash, sourced by the other scripts: a cache outside of the checkout for what takes long to build and seldom changes.

lab_cache=${RINGER_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ringer}/lab

# cached_build NAME FILE FUNCTION
#
# Prints the path of $lab_cache/NAME, which FUNCTION builds if its FILE is missing. FUNCTION is called in an empty
# folder, by one process at a time, and puts its result into ./result, which appears in the cache as a whole or not at
# all. Its output goes to a log; on failure the end of the log is printed.
cached_build() {
    local name=$1 file=$2 function=$3 work status log="$lab_cache/$1.log"
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
            set +e
            (set -e && cd "$work" && mkdir result && "$function") >"$log" 2>&1 </dev/null {cache_lock}>&-
            status=$?
            set -e
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
