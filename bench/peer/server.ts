// For comparison: a plain service for the same two requests, written by hand with Fastify and Kysely, in its own process.
// It knows one token and has no limits, no log and no restrictions.
import fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { answerParent, startChild } from '../child.ts'
import { openDatabase } from './database.ts'
import { findInvoice, listInvoices, type Asked } from './invoices.ts'

export interface PeerQuestion {
  readonly url: string
  readonly token: string
  readonly cert: string
  readonly key: string
}

/** The answer to its question is its port. */
export const startPeer = (niceness: number) => startChild<PeerQuestion, number>(new URL(import.meta.url), niceness)

const listSchema = {
  querystring: {
    type: 'object',
    properties: {
      page: { type: 'integer', minimum: 1, maximum: 10_000 },
      per_page: { type: 'integer', minimum: 1, maximum: 100 },
      sort: { enum: ['id', '-id', 'date', '-date', 'updated_at', '-updated_at'] },
      store_id: { type: 'integer' },
      customer_id: { type: 'integer' },
    },
  },
}

async function serve({ url, token, cert, key }: PeerQuestion): Promise<number> {
  const database = openDatabase(url)
  const app = fastify({ https: { cert, key } })
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.authorization !== `Bearer ${token}`) return reply.code(401).send({ error: 'unauthorized' })
  })
  app.get<{ Querystring: Asked }>('/api/v1/invoices', { schema: listSchema }, ({ query }) =>
    listInvoices(database, query),
  )
  app.get<{ Params: { id: string } }>('/api/v1/invoices/:id', async ({ params }, reply) => {
    return (await findInvoice(database, Number(params.id))) ?? reply.code(404).send({ error: 'not_found' })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

if (import.meta.main) answerParent(serve)
