extension Duration {
    /// This time in seconds, as near as a `Double` comes.
    var inSeconds: Double {
        let (whole, attoseconds) = components
        return Double(whole) + Double(attoseconds) * 1e-18
    }
}
