import FourCharacterCodes
extension FileFormat {
    /// Everything before the sound. Its length does not depend on the counts, so that it can be overwritten.
    ///
    /// - Throws: ``SoundFileError`` if the counts do not fit the container's fields.
    func header(frames: Int64, packets: Int64) throws(SoundFileError) -> [UInt8] {
        let bytes = packets * Int64(bytesPerPacket)
        let limit: Int64
        switch container {
        case .caf, .rf64, .mp3, .ogg, .flac: limit = .max
        case .aiff, .aifc: limit = 0x7FFF_FFFF - 1024
        case .wave, .rifx: limit = 0xFFFF_FFFF - 1024
        }
        guard bytes <= limit else {
            throw SoundFileError(
                .doesNotFit, expected: "at most \(limit) bytes of sound in \(container.rawValue)", found: "\(bytes)")
        }
        return switch container {
        case .caf: cafHeader(frames: frames, packets: packets, bytes: bytes)
        case .aiff, .aifc: aiffHeader(frames: frames, packets: packets, bytes: bytes)
        case .wave, .rifx, .rf64: waveHeader(frames: frames, bytes: bytes)
        case .mp3, .ogg, .flac: []
        }
    }

    private func cafHeader(frames: Int64, packets: Int64, bytes: Int64) -> [UInt8] {
        var header = HeaderBytes(.big)
        header.code("caff")
        header.integer(UInt16(1))
        header.integer(UInt16(0))
        header.longChunk("desc") { desc in
            desc.integer(sampleRate.bitPattern)
            let (code, flags, bits): (FourCharacterCode, UInt32, Int) =
                switch codec {
                case .linearPCM(let format):
                    (
                        "lpcm", (format.kind == .float ? 1 : 0) | (format.byteOrder == .little ? 2 : 0), format.bits
                    )
                case .ima4, .imaADPCM, .mpegLayer3, .vorbis, .opus, .flac: ("ima4", 0, 0)
                case .uLaw: ("ulaw", 0, 8)
                case .aLaw: ("alaw", 0, 8)
                }
            desc.code(code)
            desc.integer(flags)
            desc.integer(UInt32(bytesPerPacket))
            desc.integer(UInt32(framesPerPacket))
            desc.integer(UInt32(channels))
            desc.integer(UInt32(bits))
        }
        appendLayout("chan", isLong: true, to: &header)
        if framesPerPacket > 1 {
            header.longChunk("pakt") { table in
                table.integer(UInt64(packets))
                table.integer(UInt64(frames))
                table.integer(UInt32(0))
                table.integer(UInt32(packets * Int64(framesPerPacket) - frames))
            }
        }
        header.code("data")
        header.integer(UInt64(bytes + 4))
        header.integer(UInt32(0))
        return header.bytes
    }

    private func aiffHeader(frames: Int64, packets: Int64, bytes: Int64) -> [UInt8] {
        var inner = HeaderBytes(.big)
        if container == .aifc {
            inner.code("AIFC")
            // The only version of AIFF-C, dated in seconds since 1904.
            inner.chunk("FVER") { $0.integer(UInt32(0xA280_5140)) }
        } else {
            inner.code("AIFF")
        }
        inner.chunk("COMM") { common in
            let (code, bits): (FourCharacterCode, Int) =
                switch codec {
                case .linearPCM(let format):
                    switch format.kind {
                    case .unsignedInteger: ("raw ", format.bits)
                    case .float: (format.bytesPerSample == 4 ? "fl32" : "fl64", format.bits)
                    case .signedInteger: (format.byteOrder == .little ? "sowt" : "NONE", format.bits)
                    }
                case .ima4, .imaADPCM, .mpegLayer3, .vorbis, .opus, .flac: ("ima4", 16)
                case .uLaw: ("ulaw", 16)
                case .aLaw: ("alaw", 16)
                }
            common.integer(UInt16(channels))
            common.integer(UInt32(codec == .ima4 ? packets : frames))
            common.integer(UInt16(bits))
            common.extended(sampleRate)
            if container == .aifc {
                common.code(code)
                // The codec's name: empty, padded to an even length.
                common.integer(UInt16(0))
            }
        }
        if channels > 2 { appendLayout("CHAN", isLong: false, to: &inner) }
        inner.code("SSND")
        inner.integer(UInt32(bytes + 8))
        inner.integer(UInt32(0))
        inner.integer(UInt32(0))
        var header = HeaderBytes(.big)
        header.code("FORM")
        header.integer(UInt32(Int64(inner.bytes.count) + bytes + (bytes & 1)))
        return header.bytes + inner.bytes
    }

    private func appendLayout(_ id: FourCharacterCode, isLong: Bool, to header: inout HeaderBytes) {
        guard let channelLayout else { return }
        let body: (inout HeaderBytes) -> Void = { layout in
            // The tag 0x10000 means that the bitmap counts.
            layout.integer(channelLayout.tag ?? 0x1_0000)
            layout.integer(channelLayout.tag ?? 0x1_0000 == 0x1_0000 ? channelLayout.bitmap : 0)
            layout.integer(UInt32(0))
        }
        if isLong { header.longChunk(id, body) } else { header.chunk(id, body) }
    }

    private func waveHeader(frames: Int64, bytes: Int64) -> [UInt8] {
        let order: LinearPCM.ByteOrder = container == .rifx ? .big : .little
        var inner = HeaderBytes(order)
        inner.chunk("fmt ", waveFormat)
        if case .linearPCM(let format) = codec, format.kind != .float {
            // Whole frames need no count.
        } else {
            inner.chunk("fact") { $0.integer(UInt32(clamping: frames)) }
        }
        inner.code("data")
        let isLong = container == .rf64
        inner.integer(isLong ? UInt32.max : UInt32(bytes))
        var header = HeaderBytes(order)
        header.code(isLong ? "RF64" : container == .rifx ? "RIFX" : "RIFF")
        let long = isLong ? 36 : 0
        let total = 4 + Int64(long + inner.bytes.count) + bytes + (bytes & 1)
        header.integer(isLong ? UInt32.max : UInt32(total))
        header.code("WAVE")
        if isLong {
            header.chunk("ds64") { sizes in
                sizes.integer(UInt64(total))
                sizes.integer(UInt64(bytes))
                sizes.integer(UInt64(frames))
                sizes.integer(UInt32(0))
            }
        }
        return header.bytes + inner.bytes
    }

    private func waveFormat(_ format: inout HeaderBytes) {
        var tag: UInt16
        var bits = 8
        var container = 8
        switch codec {
        case .linearPCM(let sample):
            tag = sample.kind == .float ? 3 : 1
            bits = sample.bits
            container = sample.bytesPerSample * 8
        case .ima4, .imaADPCM, .mpegLayer3, .vorbis, .opus, .flac:
            tag = 0x11
            container = 4
        case .uLaw: tag = 7
        case .aLaw: tag = 6
        }
        let isExtensible = (tag == 1 || tag == 3) && (channels > 2 || bits != container)
        format.integer(isExtensible ? 0xFFFE : tag)
        format.integer(UInt16(channels))
        format.integer(UInt32(sampleRate))
        format.integer(UInt32(clamping: Int64(sampleRate * Double(bytesPerPacket) / Double(framesPerPacket))))
        format.integer(UInt16(bytesPerPacket))
        format.integer(UInt16(container))
        if isExtensible {
            format.integer(UInt16(22))
            format.integer(UInt16(bits))
            format.integer(channelLayout?.speakers ?? 0)
            format.integer(UInt32(tag))
            // The rest of the identifier that a plain format tag has.
            format.integer(UInt16(0))
            format.integer(UInt16(0x10))
            for byte: UInt8 in [0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71] { format.integer(byte) }
        } else if tag == 0x11 {
            format.integer(UInt16(2))
            format.integer(UInt16(framesPerPacket))
        } else if tag != 1 {
            format.integer(UInt16(0))
        }
    }
}
