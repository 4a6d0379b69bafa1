import CALSA
import CLinux

/// The messages that alsa-lib prints about its failures.
enum ALSAMessages {
    /// Stores alsa-lib's messages of this thread from now on instead of printing them. Other threads are not affected.
    /// The corresponding C function is `snd_lib_error_set_local`.
    static func keepOnThisThread() {
        ringer_alsa_keep_messages()
    }

    /// Drops the stored messages, so that the next ``take()`` returns one of the calls that follow.
    static func forget() {
        ringer_forget_message()
    }

    /// The first message since ``forget()``; nil if there was none.
    static func take() -> String? {
        defer { ringer_forget_message() }
        guard let message = ringer_kept_message() else { return nil }
        // SAFETY: the text ends in a zero and stays until the next call to alsa-lib on this thread.
        let text = String(cString: message)
        return text.isEmpty ? nil : text
    }
}
