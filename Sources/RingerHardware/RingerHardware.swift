// RingerHardware
