# Sums up callgrind's dumps, in order: prints the instructions from the edge until `tell` has it, a line for each edge.
#
# There is a dump when a call that waits returns, before a thread wakes another one with `write`, and before `tell`. The last wait
# that ends before `tell` has the edge, or the one before it, if the edge's thread has woken another one in between. What follows
# up to `tell` counts, on both threads; what the edge's thread does between waking the other and its next wait does not: it
# runs meanwhile, where there are two processors. Fails if an edge did not wake `wakes` threads.

/^desc: Trigger:/ {
    isWrite = /--dump-before=write/
    isTell = /--dump-before/ && !isWrite
}
!/^totals:/ { next }
isTell {
    print sum + $2
    if (edges++ > 0 && woken != wakes) odd++
    sum = woken = 0
    isTold = 1
}
isWrite && !isTold {
    sum += $2
    woken++
    isWaking = 1
}
!isTell && !isWrite {
    if (!isWaking) sum = woken = 0
    isWaking = isTold = 0
}
END { exit odd > edges / 3 }
