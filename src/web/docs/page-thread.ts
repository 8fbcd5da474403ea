// Writes a documentation page in a thread.
import { answerCalls } from '../../platform/thread.ts'
import { docsPage } from './page.ts'

answerCalls((request) => ({ result: Buffer.from(docsPage(...(request as Parameters<typeof docsPage>))) }))
