import CEndurance

extension Kinds {
    /// Calls of ringer.h, in C: CEndurance/library.c.
    static var library: [Kind] {
        sequence(state: 0) { index in
            defer { index += 1 }
            return endurance_library_kind(index)?.pointee
        }.map { kind in
            Kind(String(cString: kind.name), share: Int(kind.share)) {
                { number in
                    if let failure = kind.round(CUnsignedInt(number)) { throw Unexpected(String(cString: failure)) }
                }
            }
        }
    }
}
