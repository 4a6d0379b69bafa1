from ringer_lab.command import main

raise SystemExit(main())
