extension Options {
    static let usage = """
        usage: VoIPHandset --listen ADDRESS:PORT [OPTION...]

        Rings for SIP calls by the ring/silent switch. Commands are read from standard input, one on each line: answer,
        reject, hang up, silence, status. On a simulated board also: position ring|vibrate|silent.

          --listen ADDRESS:PORT     The address and port for SIP, which callers reach. Port 0: one that is free.
          --transport udp|tcp|both|tls        (default: both). With tls the sound of calls is encrypted as well, or refused.
          --certificate FILE        With tls: the handset's certificate and its key, in PEM.
          --caller-authorities FILE Only callers with a certificate that these sign are spoken to.
          --calls N                 Calls at a time: one that is talked to, and others that wait (default: 2).
          --board auto|service|simulated      The service where it runs, else this machine's hardware (auto, the
                                    default); the service; a simulated board.
          --position ring|vibrate|silent      The simulated switch.
          --pcm PCM                 The ALSA PCM of the ring (default: that of the card's use cases, or "default"). With a
                                    simulated board, its sounds are played there too.
          --ring-tone FILE          One round of the ring tone (default: two bursts).
          --ring NAME=FILE          A ring that a caller may choose by this name (Alert-Info). Ringer's predefined sounds have
                                    names already.
          --ring-for SECONDS        How long a call rings before it is refused (default: 60).
          --answer-after SECONDS    Answer calls by itself, except beside one that is talked to.
          --lost-after SECONDS      When a call is ended from whose caller nothing comes, neither RTP nor RTCP (default: 60).
          --hold-for SECONDS        How long a call may be on hold before it is ended (default: 600).
          --call-pcm PCM            The ALSA PCM of a call's sound (default: default; ringer_output beside the service;
                                    null on a simulated board).
          --microphone-pcm PCM      The ALSA PCM of the microphone (default: that of --call-pcm).
          --no-vibrate-on-ring      A ring that is heard is not felt.
          --no-vibrate-on-silent    A call is not felt while the switch is at silent.
          --no-alerts-during-call   A second call is not felt while one is talked to.
          --allow CALLER            A caller that may always ring, by its name or its address: USER@HOST, *@HOST, ADDRESS or
                                    ADDRESS/LENGTH. Others are strangers, and may not ring.
          --strangers CALLS/SECONDS So many strangers may ring in so long, such as 3/60.
          --account USER@DOMAIN     Register this account.
          --password-file FILE      Its password, in the first line.
          --registrar HOST[:PORT]   Where to register (default: the domain). Given twice, the second one is used while the first
                                    fails.
          --register-for SECONDS    For how long to be registered; refreshed before that (default: 600).
          --json                    Print an object for each event.
          --help                    Print this text.

        Exit status: by SIGTERM; with one line on standard error 1 failed, 64 bad usage.
        """
}
