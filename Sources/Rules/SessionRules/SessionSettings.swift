import RingerPolicy

/// What a session was set to: a category, its options, and its overrides.
public struct SessionSettings: Sendable, Hashable {
    /// The category.
    public private(set) var category: AudioCategory
    /// The options, as they were set.
    public private(set) var options: CategoryOptions
    /// The overrides that are on.
    public private(set) var overrides: SessionOverrides
    /// Whether the session speaks: a podcast, a book. `interruptSpokenAudioAndMixWithOthers` interrupts only such
    /// sessions.
    public var isSpoken: Bool
    /// What the session does to the sound of others: follows from category, options and overrides.
    package private(set) var mixing: SessionMixing

    /// The settings of a new session.
    public init() {
        category = .default
        options = []
        overrides = []
        isSpoken = false
        mixing = .exclusive
    }

    /// The settings of a session of `category`.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not allow one of the options.
    public init(category: AudioCategory, options: CategoryOptions = [], isSpoken: Bool = false) throws(SessionError) {
        self.init()
        self.isSpoken = isSpoken
        try setCategory(category, options: options)
    }

    /// Sets the category, and the options to exactly `options`: earlier options do not survive.
    ///
    /// A change of category also reverts overrides: see ``SessionOverrides``.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not allow one of the options.
    public mutating func setCategory(
        _ category: AudioCategory, options: CategoryOptions = []
    ) throws(SessionError) {
        // The highest bit of "interrupt spoken audio" is not an option of its own: it implies mixing.
        let isLoneBit = options.rawValue & 17 == 16
        guard category.allowedOptions.isSuperset(of: options), !isLoneBit else {
            throw SessionError(
                .incompatibleCategory, "set the category",
                detail: "\(category.rawValue) does not allow options \(options.rawValue)")
        }
        if category != self.category { overrides.subtract(.revertedByCategoryChange) }
        self.category = category
        self.options = options
        updateMixing()
    }

    /// Switches overrides on or off. Off is allowed in every category.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not have one that is to be on.
    public mutating func setOverride(_ override: SessionOverrides, _ isOn: Bool) throws(SessionError) {
        for row in SessionOverrides.table
        where isOn && override.contains(row.override) && !row.categories.contains(category) {
            throw SessionError(
                .incompatibleCategory, "set override \(row.name)", detail: "not with \(category.rawValue)")
        }
        if isOn { overrides.formUnion(override) } else { overrides.subtract(override) }
        updateMixing()
    }

    /// Reverts `overrides`, and returns whether one of them was on.
    mutating func revert(_ reverted: SessionOverrides) -> Bool {
        if overrides.isDisjoint(with: reverted) { return false }
        overrides.subtract(reverted)
        updateMixing()
        return true
    }

    /// The options in force: those set, and those that the overrides stand for.
    public var effectiveOptions: CategoryOptions {
        var effective = options
        if overrides.contains(.mixWithOthers) { effective.insert(.mixWithOthers) }
        if overrides.contains(.duckOthers) { effective.insert(.duckOthers) }
        if !overrides.isDisjoint(with: [.defaultToSpeaker, .speaker]) { effective.insert(.defaultToSpeaker) }
        return effective
    }

    private mutating func updateMixing() {
        let options = effectiveOptions
        if !category.plays {
            mixing = .silencing
        } else if options.contains(.duckOthers) {
            mixing = .ducking
        } else {
            mixing = category == .ambient || options.mixes ? .mixing : .exclusive
        }
    }

    /// Whether activating the session interrupts sessions that speak.
    package var interruptsSpeech: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }
}
