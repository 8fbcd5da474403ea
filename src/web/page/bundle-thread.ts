// Reads or makes the bundle of a page in a thread.
import { answerCalls } from '../../platform/thread.ts'
import { readBundle } from './bundle.ts'

answerCalls((request) => ({ result: readBundle(request as Parameters<typeof readBundle>[0]) }))
