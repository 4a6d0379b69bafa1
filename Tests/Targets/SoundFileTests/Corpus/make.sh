#!/bin/sh
# Makes the seeds for fuzzing and for the tests of damaged files: one tiny file of every kind that the oracles write.
# Needs ffmpeg, sox and libsndfile's sndfile-convert. The files in the repository were made by it; run it here again to
# change them: Tests/Targets/SoundFileTests/Corpus/make.sh
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -f ./*.caf ./*.aiff ./*.aifc ./*.wav ./*.mp3
# Lengths are in samples at 48 kHz.
sox -R -n -r 8000 -c 1 -b 32 "$work/mono.wav" synth 420s sine 400 gain -3
sox -R -n -r 44100 -c 2 -b 32 "$work/stereo.wav" synth 100s sine 600 sine 900 gain -3
sox -R -n -r 48000 -c 6 -b 32 "$work/six.wav" synth 9s sine 500 sine 600 sine 700 sine 800 sine 900 sine 1000 gain -3

ff() { ffmpeg -v error -y -bitexact -i "$work/$1.wav" -map_metadata -1 $3 "$2"; }
# pcm EXTENSION OPTIONS CODEC...
pcm() {
    extension=$1 options=$2
    shift 2
    for codec; do ff mono "pcm-$codec.$extension" "-c:a pcm_$codec $options"; done
}
pcm caf "" s8 s16be s24le s32be f32le f64be mulaw alaw
ff stereo ima4.caf "-c:a adpcm_ima_qt"
ff six six.caf "-c:a pcm_s16be"
ffmpeg -v error -bitexact -i "$work/mono.wav" -c:a pcm_s16be -f caf - | cat > streamed.caf
ffmpeg -v error -y -bitexact -i "$work/mono.wav" -c:a pcm_s16le -metadata title=Chime -metadata artist=Ringer tagged.caf
pcm aiff "" s8 s16be s24be s32be
ffmpeg -v error -bitexact -i "$work/mono.wav" -c:a pcm_s16be -f aiff - | cat > streamed.aiff
pcm aifc "-f aiff" u8 s16le f32be f64be mulaw alaw
ff stereo ima4.aifc "-c:a adpcm_ima_qt -f aiff"
sndfile-convert -ima-adpcm "$work/stereo.wav" ima4-sndfile.aifc
sndfile-convert -pcm24 -endian=little "$work/mono.wav" 42n1.aifc
pcm wav "" u8 s16le s24le s32le f32le f64le mulaw alaw
ff six six.wav "-c:a pcm_s16le"
ff stereo rf64.wav "-c:a pcm_s16le -rf64 always"
ffmpeg -v error -bitexact -i "$work/mono.wav" -c:a pcm_s16le -f wav - | cat > streamed.wav
ffmpeg -v error -y -bitexact -i "$work/mono.wav" -c:a pcm_s16le -metadata title=Chime tagged.wav
ff mono ima-mono.wav "-c:a adpcm_ima_wav -block_size 64"
ff stereo ima-stereo.wav "-c:a adpcm_ima_wav -block_size 64"
ff mono tagged.mp3 "-c:a libmp3lame -b:a 8k -id3v2_version 3 -write_xing 1 -metadata title=Chime"
ff stereo stereo.mp3 "-c:a libmp3lame -b:a 32k -id3v2_version 0 -write_xing 1"
ff mono streamed.mp3 "-c:a libmp3lame -b:a 8k -id3v2_version 0 -write_xing 0"
sox -D "$work/stereo.wav" -b 16 -B rifx.wav
sox -D "$work/mono.wav" -e ima-adpcm ima-sox.wav
