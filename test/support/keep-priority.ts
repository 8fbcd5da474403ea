// Preloaded into services that tests start (NODE_OPTIONS=--import …): they keep the priority of the test. At a lower one, a busy
// machine would starve them.
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

os.setPriority = () => {}
syncBuiltinESMExports()
