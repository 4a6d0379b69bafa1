// RingerTestKit
