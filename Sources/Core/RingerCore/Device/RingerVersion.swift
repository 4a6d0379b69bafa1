import CLinux

/// Which Ringer this is.
package enum RingerVersion {
    /// The version, which is RINGER_VERSION of ringer.h.
    package static var number: String {
        let number = ringer_version_number()
        return "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
    }

    /// Version and revision, such as "0.2.0 (3f2a9c1d04be)"; without the revision where the build did not say it.
    package static var text: String {
        let revision = String(cString: ringer_revision_text())
        return revision.isEmpty ? number : "\(number) (\(revision))"
    }
}
