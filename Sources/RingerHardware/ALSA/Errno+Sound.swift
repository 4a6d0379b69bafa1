import Glibc
import SystemPackage

extension Errno {
    /// A sound stream is suspended. The corresponding C error is `ESTRPIPE`.
    static var streamsPipe: Errno { Errno(rawValue: ESTRPIPE) }
}
