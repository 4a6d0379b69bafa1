extension SoundRecipe {
    /// The stems of every file the predefined sounds name, in alphabetical order: each has a recipe of its own.
    package static var predefinedStems: [String] { catalogue.keys.sorted() }

    /// The recipe in place of a predefined file, by its stem, such as `Tock`; nil for a stem that no row names.
    package static func predefined(stem: String) -> SoundRecipe? {
        catalogue[stem]?()
    }

    /// The recipe in place of a predefined file, by its name, such as `Tock.caf`; nil for a file that no row names.
    package static func predefined(file: String) -> SoundRecipe? {
        guard file.hasSuffix(".caf") else { return nil }
        return predefined(stem: String(file.dropLast(4)))
    }

    // Recipes are made when requested: the catalogue itself holds functions only.
    private static let catalogue: [String: @Sendable () -> SoundRecipe] = {
        let groups = [
            touchTones, callProgressTones, simToolkitTones, headsetTones, deviceSounds, cameraSounds, voiceSounds,
            mailSounds, messageSounds, melodiesFirst, melodiesSecond,
        ]
        return groups.reduce(into: [:]) { all, group in
            for (name, recipe) in group where all[name] == nil { all[name] = recipe }
        }
    }()
}
