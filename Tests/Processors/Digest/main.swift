do {
    Policy.report()
    try Sessions.report()
} catch {
    print("error: \(error)")
}
