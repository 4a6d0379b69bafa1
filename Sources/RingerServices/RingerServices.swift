// RingerServices
