// A process beside one that starts test servers: `postgres-warden.ts FOLDER`, its stdin a pipe from that process. When
// the pipe ends, the process has ended, however (SIGKILL too): then its servers are ended and its folder is deleted.
import { removeAll } from './postgres-processes.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: postgres-warden.ts FOLDER')

// It must outlive the processes that these signals stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.stdin.on('close', () => void removeAll(folder))
process.stdin.on('error', () => {})
process.stdin.resume()
