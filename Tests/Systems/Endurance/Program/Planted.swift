import Glibc

/// Kinds that grow: each has to be found by its measure.
enum Planted {
    static var kinds: [Kind] {
        [
            Kind("planted stack") {
                // A function that wraps the one before it.
                var callback: () -> Void = { Depth.note() }
                return { number in
                    if number % 8 == 0 {
                        let before = callback
                        callback = { withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { _ in before() } }
                    }
                    callback()
                }
            },
            Kind("planted heap") {
                { number in if number % 16 == 0 { _ = malloc(24) } }
            },
            Kind("planted descriptors") {
                { number in if number % 4_000 == 0 { _ = open("/dev/null", O_RDONLY | O_CLOEXEC) } }
            },
            Kind("planted threads") {
                { number in
                    guard number % 4_000 == 0 else { return }
                    var thread = pthread_t()
                    pthread_create(
                        &thread, nil,
                        { _ in
                            while true { pause() }
                        }, nil)
                }
            },
            Kind("planted watches") {
                let descriptor = inotify_init1(CInt(IN_CLOEXEC))
                let folder = "/tmp/ringer-endurance-\(getpid())"
                mkdir(folder, 0o700)
                return { number in
                    guard number % 1_000 == 0 else { return }
                    let path = folder + "/\(number)"
                    close(open(path, O_CREAT | O_CLOEXEC, 0o600))
                    _ = inotify_add_watch(descriptor, path, UInt32(IN_ATTRIB))
                }
            },
            Kind("planted cost") {
                var list: [Int] = []
                list.reserveCapacity(1_000_000)
                return { number in
                    list.append(number)
                    _ = list.contains(-1)
                }
            },
        ]
    }
}
