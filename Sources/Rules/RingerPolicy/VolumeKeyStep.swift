extension UserPreferences {
    /// Makes a kind of sound louder by so many steps of a volume key, each 1/16; below 0 softer. Only alerts become 0, of which
    /// the keys change the volume while nothing is heard: another kind that is not heard any more could not be made louder again.
    package mutating func changeVolume(of kind: SoundKind, bySteps steps: Int) {
        let volume = self[volumeOf: kind]
        let least: Float = kind == .alert ? 0 : min(volume, 1 / 16)
        self[volumeOf: kind] = max(least, clamped(volume + Float(steps) / 16))
    }
}
