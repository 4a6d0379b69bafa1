/// What a session was set to: a category, its options, and its overrides.
public struct SessionSettings: Sendable, Hashable {
    /// The category.
    public private(set) var category: AudioCategory
    /// The options, as they were set.
    public private(set) var options: CategoryOptions
    /// The overrides that are on.
    public private(set) var overrides: SessionOverrides
    /// Whether the session speaks: a podcast, a book. ``CategoryOptions/interruptSpokenAudioAndMixWithOthers``
    /// interrupts only such sessions.
    public var isSpoken: Bool

    /// The settings of a session that set nothing.
    public init() {
        category = .default
        options = []
        overrides = []
        isSpoken = false
    }

    /// The settings of a session of `category`.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not allow one of the options.
    public init(category: AudioCategory, options: CategoryOptions = [], isSpoken: Bool = false) throws(SessionError) {
        self.init()
        self.isSpoken = isSpoken
        try setCategory(category, options: options)
    }

    /// Sets the category, and the options to exactly `options`: those of before do not survive.
    ///
    /// Another category than before also reverts the overrides that a category change reverts.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not allow one of the options.
    public mutating func setCategory(
        _ category: AudioCategory, options: CategoryOptions = []
    ) throws(SessionError) {
        // The highest bit of "interrupt spoken audio" alone means nothing: it comes with mixing.
        let isLoneBit = options.rawValue & 17 == 16
        guard category.allowedOptions.isSuperset(of: options), !isLoneBit else {
            throw SessionError(
                .incompatibleCategory, "set the category",
                detail: "\(category.rawValue) does not allow options \(options.rawValue)")
        }
        if category != self.category { overrides.subtract(.revertedByCategoryChange) }
        self.category = category
        self.options = options
    }

    /// Switches an override on or off.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not have the override.
    public mutating func setOverride(_ override: SessionOverrides, _ isOn: Bool) throws(SessionError) {
        for property in SessionProperty.all {
            guard let one = property.override, override.contains(one), !property.isAllowed(in: category) else {
                continue
            }
            throw SessionError(
                .incompatibleCategory, "set \(property.code)", detail: "not with \(category.rawValue)")
        }
        if isOn { overrides.formUnion(override) } else { overrides.subtract(override) }
    }

    /// Reverts `overrides`, and says whether one of them was on.
    mutating func revert(_ reverted: SessionOverrides) -> Bool {
        if overrides.isDisjoint(with: reverted) { return false }
        overrides.subtract(reverted)
        return true
    }

    /// The options that are in force: those set, and those that the overrides stand for.
    public var effectiveOptions: CategoryOptions {
        var effective = options
        if overrides.contains(.mixWithOthers) { effective.insert(.mixWithOthers) }
        if overrides.contains(.duckOthers) { effective.insert(.duckOthers) }
        if !overrides.isDisjoint(with: [.defaultToSpeaker, .speaker]) { effective.insert(.defaultToSpeaker) }
        return effective
    }

    /// What the session does to the sound of others.
    public var mixing: SessionMixing {
        if !category.plays { return .silencing }
        let options = effectiveOptions
        if options.contains(.duckOthers) { return .ducking }
        return category == .ambient || options.mixes ? .mixing : .exclusive
    }

    /// Whether activating the session interrupts those that speak.
    public var interruptsSpeech: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }
}
