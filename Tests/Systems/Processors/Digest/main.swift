// Prints digests of what the pure targets decide and compute.

do {
    Policy.report()
    try Sessions.report()
    Times.report()
    Quiet.report()
    Sounds.report()
} catch {
    print("error: \(error)")
}
