import Glibc
import SystemPackage

extension Errno {
    /// The error of the C call that has just failed on this thread.
    package static var current: Errno { Errno(rawValue: errno) }

    /// The device is gone. The corresponding C error is `ENODEV`.
    package static var noDevice: Errno { operationNotSupportedByDevice }
}

extension Errno {
    /// A sound stream is suspended. The corresponding C error is `ESTRPIPE`.
    package static var streamsPipe: Errno { Errno(rawValue: ESTRPIPE) }
}
