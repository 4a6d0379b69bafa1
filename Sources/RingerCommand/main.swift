print("ringer")
