// A thread for a test: answers, and dies of an uncaught error when it is told to.
import { answerCalls } from '../../src/platform/thread.ts'

answerCalls((request) => {
  if (request === 'die')
    setImmediate(() => {
      throw new Error('out of order')
    })
  if (request === 'fail') throw Object.assign(new Error('refused'), { code: 'EREFUSED' })
  return request === 'die' ? new Promise(() => {}) : { result: request }
})
