// Ringer
