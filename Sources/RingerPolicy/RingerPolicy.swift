// RingerPolicy
