// SoundFile
