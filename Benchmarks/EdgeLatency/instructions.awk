# Sums up callgrind's dumps, in order: prints the instructions from the edge until `tell` has it, a line for each edge.
#
# There is a dump when a call that waits returns, before a thread wakes another one with `write`, and before `tell`. The last wait
# that ends before `tell` has the edge, or the one before it, if the edge's thread has woken another one in between. What follows
# up to `tell` counts, on both threads; what the edge's thread does between waking the other and its next wait does not: it
# runs meanwhile, where there are two processors. Leaves out an edge that did not wake `wakes` threads, and fails if those are more
# than a third.

/^desc: Trigger:/ {
    isWrite = /--dump-before=write/
    isTell = /--dump-before/ && !isWrite
}
!/^totals:/ { next }
isTell {
    edges++
    if (woken == wakes) print sum + $2
    else odd++
    sum = woken = isWaking = 0
    isTold = 1
}
isWrite && !isTold {
    sum += $2
    woken++
    isWaking = 1
}
!isTell && !isWrite {
    # The thread that was woken returns first, then perhaps the other one from a wait of its own.
    if (isWaking) isWaking = 0
    else if (woken && !isTold) sum += $2
    else sum = woken = 0
    isTold = 0
}
END { exit odd > 1 + edges / 3 }
