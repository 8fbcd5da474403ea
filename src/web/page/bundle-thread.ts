// Reads or makes the bundle of a page in a thread.
import { answerCalls } from '../../platform/thread.ts'
import { readBundle, type PageName } from './bundle.ts'

answerCalls((request) => ({ result: readBundle(request as PageName) }))
